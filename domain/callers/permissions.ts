import { roles as everyRole, type Role } from '../../schema/entities/accounts.ts'
import type { KeyScope } from '../../schema/entities/keys.ts'
import type { Caller } from './caller.ts'
import type { Operator } from './operators.ts'

/**
 * A right of callers. An operation lists the scopes that permit it, and a caller needs one of them.
 *
 * - `public`: every caller, also without a token.
 * - `account`: every session and API key.
 * - `session`: every session, whatever its role: the user's own data, and data that API keys do not read by default.
 * - `key`: ordinary API keys. Where an operation concerns requests and tasks, they see only their own.
 * - `read`: the data of the account, without secrets.
 * - `keys`: read and manage API keys; sessions also read their full texts.
 * - `byok`: read and manage the account's own credentials for vendors.
 * - `billing`: read the balance, transactions and top-ups, start top-ups, and manage the saved card, billing
 *   details, budgets and alerts.
 * - `tasks`: read and manage tasks, callbacks and their secrets.
 * - `members`: read and manage members and invitations.
 * - `ownership`: owners, and the account itself.
 * - `operator`: operators of the platform.
 */
export type Scope =
  | 'public'
  | 'account'
  | 'session'
  | 'key'
  | 'read'
  | 'keys'
  | 'byok'
  | 'billing'
  | 'tasks'
  | 'members'
  | 'ownership'
  | 'operator'

/** The scopes of each role (docs/teams.md). */
const roles: Record<Role, readonly Scope[]> = {
  owner: ['read', 'keys', 'byok', 'billing', 'tasks', 'members', 'ownership'],
  admin: ['read', 'keys', 'byok', 'billing', 'tasks', 'members'],
  developer: ['read', 'keys', 'byok', 'tasks'],
  billing: ['read', 'billing'],
  viewer: ['read'],
}

/** Returns the roles that have a scope. */
export function rolesWith(scope: Scope): Role[] {
  return everyRole.filter(role => roles[role].includes(scope))
}

/**
 * The scopes that each scope of a provisioning key grants. `all` is what provisioning keys could do before they had
 * scopes. It excludes the rights to create further access, `keys` and `members`, which a key must be given by name.
 */
const keyScopes: Record<KeyScope, readonly Scope[]> = {
  all: ['read', 'byok', 'billing', 'tasks'],
  read: ['read'],
  keys: ['keys'],
  byok: ['byok'],
  billing: ['billing'],
  tasks: ['tasks'],
  members: ['members'],
}

/** Returns the scopes of a caller. */
export function scopesOf({ caller, operator }: Callers): readonly Scope[] {
  if (operator) return ['public', 'operator']
  if (!caller) return ['public']
  if (caller.kind === 'session') return ['public', 'account', 'session', ...roles[caller.role]]
  if (caller.kind === 'provisioning') return ['public', 'account', ...grantsOf(caller.scopes)]
  return ['public', 'account', 'key']
}

function grantsOf(scopes: readonly KeyScope[]): readonly Scope[] {
  return scopes.flatMap(scope => keyScopes[scope])
}

/**
 * The scopes of ordinary keys and of provisioning keys with `all`. Other API keys are refused as if an operation without
 * one of them needed a session (docs/behaviour.md, Management API).
 */
export const usualKeyScopes: ReadonlySet<Scope> = new Set(['public', 'account', 'key', ...keyScopes.all])

/**
 * The scopes that permit each operation of the graph, and so of `/api/v1` (docs/behaviour.md, Management API): for every
 * root field, every field that a subgraph adds to `Account`, every entity that an edge or `node` leads to, and fields
 * that not every viewer of their object may read. Operations that are not listed are denied. Each operation decides
 * which objects of an account its callers see: normally all of the account, but an ordinary key only its own requests.
 */
const permissions: ReadonlyMap<string, readonly Scope[]> = new Map<string, Scope[]>([
  // accounts
  ['Query.me', ['account']],
  ['Query.viewer', ['account']],
  ['Mutation.signUp', ['public']],
  ['Mutation.logIn', ['public']],
  ['Mutation.startPasskeyLogIn', ['public']],
  ['Mutation.completeLogIn', ['public']],
  ['Query.signInIssuers', ['public']],
  ['Mutation.completeSignIn', ['public']],
  ['Query.linkedIdentities', ['session']],
  ['Mutation.linkIdentity', ['session']],
  ['Mutation.unlinkIdentity', ['session']],
  ['LinkedIdentity', ['session']],
  ['Mutation.refreshSession', ['public']],
  ['Mutation.logOut', ['session']],
  ['Mutation.requestEmailConfirmation', ['session']],
  ['Mutation.confirmEmail', ['public']],
  ['Mutation.changePassword', ['session']],
  ['Mutation.requestPasswordReset', ['public']],
  ['Mutation.resetPassword', ['public']],
  ['Query.activeSessions', ['session']],
  ['Mutation.endSession', ['session']],
  ['ActiveSession', ['session']],
  ['Query.signInStatus', ['session']],
  ['Query.secondFactors', ['session']],
  ['Mutation.startConfirmation', ['session']],
  ['Mutation.confirmIdentity', ['session']],
  ['Mutation.addAuthenticatorApp', ['session']],
  ['Mutation.activateAuthenticatorApp', ['session']],
  ['Mutation.startPasskeyRegistration', ['session']],
  ['Mutation.addPasskey', ['session']],
  ['Mutation.removeSecondFactor', ['session']],
  ['Mutation.renewRecoveryCodes', ['session']],
  ['Mutation.requireSecondFactor', ['ownership']],
  ['Account', ['account']],
  ['Account.allowances', ['account']],
  ['User', ['session', 'members']],

  // members
  ['Query.memberships', ['session']],
  ['Mutation.switchAccount', ['session']],
  ['Mutation.leaveAccount', ['session']],
  ['Query.members', ['session', 'members']],
  ['Mutation.updateMember', ['members']],
  ['Mutation.removeMember', ['members']],
  ['Query.invitation', ['members']],
  ['Query.invitations', ['members']],
  ['Mutation.createInvitation', ['members']],
  ['Mutation.resendInvitation', ['members']],
  ['Mutation.revokeInvitation', ['members']],
  ['Mutation.acceptInvitation', ['public']],
  ['Invitation', ['members']],

  // keys
  ['Query.apiKey', ['session', 'keys']],
  ['Query.apiKeys', ['session', 'keys']],
  ['Mutation.createApiKey', ['keys']],
  ['Mutation.updateApiKey', ['keys']],
  ['Mutation.rollApiKey', ['keys']],
  ['Mutation.revokeApiKey', ['keys']],
  ['Account.apiKeys', ['session', 'keys']],
  ['ApiKey', ['account']],
  ['ApiKey.fullKey', ['session', 'keys']],

  // budgets
  ['Query.budget', ['read', 'billing']],
  ['Query.budgets', ['read', 'billing']],
  ['Mutation.createBudget', ['billing']],
  ['Mutation.updateBudget', ['billing']],
  ['Mutation.deleteBudget', ['billing']],
  ['Budget', ['read', 'billing']],

  // byok
  ['Query.byokCredential', ['read', 'byok', 'key']],
  ['Query.byokCredentials', ['read', 'byok', 'key']],
  ['Mutation.createByokCredential', ['byok', 'key']],
  ['Mutation.updateByokCredential', ['byok', 'key']],
  ['Mutation.deleteByokCredential', ['byok', 'key']],
  ['Mutation.testByokCredential', ['byok', 'key']],
  ['Account.byokCredentials', ['read', 'byok', 'key']],
  ['ByokCredential', ['read', 'byok', 'key']],

  // models, pricing, nodes
  ['Query.model', ['account', 'operator']],
  ['Query.models', ['account', 'operator']],
  ['Query.popularModels', ['account', 'operator']],
  ['Query.prices', ['account', 'operator']],
  ['Query.node', ['account']],
  ['Query.nodes', ['account']],
  ['Query.catalogueEntry', ['operator']],
  ['Mutation.putModel', ['operator']],
  ['Mutation.updateModel', ['operator']],
  ['Mutation.deleteModel', ['operator']],
  ['Mutation.changeModels', ['operator']],
  ['Subscription.modelsUpdated', ['account', 'operator']],
  ['Model', ['account', 'operator']],

  // billing
  ['Query.transaction', ['read', 'billing', 'key']],
  ['Query.transactions', ['read', 'billing', 'key', 'operator']],
  ['Query.topUp', ['read', 'billing']],
  ['Query.topUps', ['read', 'billing', 'operator']],
  ['Mutation.startTopUp', ['billing']],
  ['Mutation.updateAutomaticTopUp', ['billing']],
  ['Mutation.startCardSetup', ['billing']],
  ['Mutation.removeSavedCard', ['billing']],
  ['Mutation.openBillingPortal', ['billing']],
  ['Account.automaticTopUp', ['read', 'billing']],
  ['Account.savedCard', ['billing']],
  ['Account.billingDetails', ['billing']],
  ['Subscription.balanceChanged', ['read', 'billing', 'key']],
  ['Account.balance', ['read', 'billing', 'key']],
  ['Transaction', ['read', 'billing', 'key']],
  ['TopUp', ['read', 'billing']],

  // audit
  ['Query.auditEntries', ['read', 'operator']],
  ['AuditEntry', ['read', 'operator']],

  // operators
  ['Query.accounts', ['operator']],
  ['Query.account', ['operator']],
  ['Mutation.suspendAccount', ['operator']],
  ['Mutation.resumeAccount', ['operator']],
  ['Mutation.closeAccount', ['operator']],
  ['Mutation.reopenAccount', ['operator']],
  ['Mutation.resetSecondFactors', ['operator']],
  ['Mutation.setAllowance', ['operator']],
  ['Mutation.creditAccount', ['operator']],
  ['Mutation.debitAccount', ['operator']],
  ['Query.reconciliation', ['operator']],

  // alerts
  ['Query.balanceAlert', ['read', 'billing']],
  ['Mutation.createBalanceAlert', ['billing']],
  ['Mutation.deleteBalanceAlert', ['billing']],
  ['Mutation.updateAlertSettings', ['billing']],
  ['Account.balanceAlerts', ['read', 'billing']],
  ['Account.alertSettings', ['billing']],
  ['BalanceAlert', ['read', 'billing']],

  // tasks
  ['Query.task', ['read', 'tasks', 'key']],
  ['Query.tasks', ['read', 'tasks', 'key']],
  ['Query.callbackDelivery', ['read', 'tasks', 'key']],
  ['Query.callbackDeliveries', ['read', 'tasks', 'operator']],
  ['Query.callbackSecrets', ['tasks']],
  ['Mutation.cancelTask', ['tasks', 'key']],
  ['Mutation.sendCallbackAgain', ['tasks', 'key']],
  ['Mutation.rotateCallbackSecret', ['tasks']],
  ['Subscription.taskUpdated', ['read', 'tasks', 'key']],
  ['Subscription.tasksUpdated', ['read', 'tasks', 'key']],
  ['Task', ['read', 'tasks', 'key']],
  ['CallbackDelivery', ['read', 'tasks', 'key']],

  // logs
  ['Query.request', ['read', 'key']],
  ['Query.requests', ['read', 'key', 'operator']],
  ['Query.usage', ['read', 'key']],
  ['ApiKey.usage', ['read', 'key']],
  ['RequestLog', ['read', 'key']],
])

/** Returns the scopes that permit an operation; undefined if the table does not list it. */
export function permittedTo(operation: string): readonly Scope[] | undefined {
  return permissions.get(operation)
}

/** The caller: a user or key of an account, or an operator. */
export interface Callers {
  caller?: Caller | undefined
  operator?: Operator | undefined
}

/** Returns whether a caller may do an operation. */
export function isPermitted(operation: string, callers: Callers): boolean {
  const scopes = scopesOf(callers)
  return permissions.get(operation)?.some(scope => scopes.includes(scope)) ?? false
}

/** The rights of a key that is managed: whether it is a provisioning key, and its scopes. */
export interface ManagedKey {
  isProvisioning: boolean
  scopes: readonly KeyScope[]
}

/**
 * Returns whether a caller may create, change and read the full text of a key. A key must not have a scope that the
 * caller lacks, and no key manages provisioning keys: a key could otherwise give itself scopes or outlive its expiry.
 */
export function mayManageKey(callers: Callers, { isProvisioning, scopes }: ManagedKey): boolean {
  if (isProvisioning && callers.caller?.kind !== 'session') return false
  const own = scopesOf(callers)
  return ['keys' as const, ...grantsOf(scopes)].every(scope => own.includes(scope))
}

/**
 * Returns whether a caller with these scopes may add, change and remove members with a role. The caller needs every scope
 * of the role: a key could otherwise invite an admin, who has rights that the key lacks.
 */
export function mayManageRole(scopes: readonly Scope[], role: Role): boolean {
  return ['members' as const, ...roles[role]].every(scope => scopes.includes(scope))
}

/** Returns every operation of the table. */
export function permittedOperations(): string[] {
  return [...permissions.keys()]
}
