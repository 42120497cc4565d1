import { type Callers, type Scope, scopesOf } from './scopes.ts'

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
  ['Mutation.updateUser', ['session']],
  ['Mutation.updateAccount', ['ownership']],
  ['Mutation.closeOwnAccount', ['ownership']],
  ['Mutation.reopenOwnAccount', ['public']],
  ['Mutation.signUp', ['public']],
  ['Mutation.logIn', ['public']],
  ['Mutation.startPasskeyLogIn', ['public']],
  ['Mutation.completeLogIn', ['public']],
  ['Query.signInIssuers', ['public']],
  ['Mutation.completeSignIn', ['public']],
  ['Query.linkedIdentities', ['session']],
  ['Query.signInDomains', ['session']],
  ['Mutation.linkIdentity', ['session']],
  ['Mutation.unlinkIdentity', ['session']],
  ['LinkedIdentity', ['session']],
  ['Mutation.refreshSession', ['public']],
  ['Mutation.logOut', ['session']],
  ['Mutation.requestEmailConfirmation', ['session']],
  ['Mutation.confirmEmail', ['public']],
  ['Mutation.requestEmailChange', ['session']],
  ['Mutation.changeEmail', ['session']],
  ['Mutation.changePassword', ['session']],
  ['Mutation.requestPasswordReset', ['public']],
  ['Mutation.resetPassword', ['public']],
  ['Query.activeSessions', ['session']],
  ['Mutation.endSession', ['session']],
  ['Mutation.endOtherSessions', ['session']],
  ['ActiveSession', ['session']],
  ['Query.signInStatus', ['session']],
  ['Query.secondFactors', ['session']],
  ['Mutation.startConfirmation', ['session']],
  ['Mutation.confirmIdentity', ['session']],
  ['Mutation.addAuthenticatorApp', ['session']],
  ['Mutation.activateAuthenticatorApp', ['session']],
  ['Mutation.startPasskeyRegistration', ['session']],
  ['Mutation.addPasskey', ['session']],
  ['Mutation.updateSecondFactor', ['session']],
  ['Mutation.removeSecondFactor', ['session']],
  ['Mutation.renewRecoveryCodes', ['session']],
  ['Mutation.requireSecondFactor', ['ownership']],
  ['Account', ['account']],
  ['Account.allowances', ['account']],
  ['User', ['session', 'members', 'view']],

  // members
  ['Query.memberships', ['session']],
  ['Mutation.switchAccount', ['session']],
  ['Mutation.leaveAccount', ['session']],
  ['Query.members', ['session', 'members', 'view']],
  ['Mutation.updateMember', ['members']],
  ['Mutation.removeMember', ['members']],
  ['Query.invitation', ['members', 'view']],
  ['Query.invitations', ['members', 'view']],
  ['Mutation.createInvitation', ['members']],
  ['Mutation.resendInvitation', ['members']],
  ['Mutation.revokeInvitation', ['members']],
  ['Mutation.acceptInvitation', ['public']],
  ['Invitation', ['members', 'view']],

  // keys
  ['Query.apiKey', ['session', 'keys', 'view']],
  ['Query.apiKeys', ['session', 'keys', 'view']],
  ['Mutation.createApiKey', ['keys']],
  ['Mutation.createPlaygroundKey', ['keys']],
  ['Mutation.updateApiKey', ['keys']],
  ['Mutation.rollApiKey', ['keys']],
  ['Mutation.revokeApiKey', ['keys']],
  ['Account.apiKeys', ['session', 'keys', 'view']],
  ['ApiKey', ['account']],
  ['ApiKey.fullKey', ['session', 'keys', 'view']], // null, except for sessions that manage the key

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
  ['Query.priceQuote', ['account', 'operator']],
  ['Query.node', ['account']],
  ['Query.nodes', ['account']],
  ['Query.catalogueEntry', ['operator']],
  ['Query.catalogueRevisions', ['operator']],
  ['Query.vendorHealth', ['operator']],
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
  ['Query.operator', ['operator']],
  ['Query.accounts', ['operator']],
  ['Query.account', ['operator']],
  ['Mutation.viewAccount', ['operator']],
  ['Mutation.suspendAccount', ['operator']],
  ['Mutation.resumeAccount', ['operator']],
  ['Mutation.closeAccount', ['operator']],
  ['Mutation.reopenAccount', ['operator']],
  ['Mutation.resetSecondFactors', ['operator']],
  ['Mutation.setAllowance', ['operator']],
  ['Mutation.creditAccount', ['operator']],
  ['Mutation.debitAccount', ['operator']],
  ['Query.reconciliation', ['operator']],
  ['Query.stuckTopUps', ['operator']],
  ['Mutation.endTopUp', ['operator']],

  // alerts
  ['Query.balanceAlert', ['read', 'billing']],
  ['Mutation.createBalanceAlert', ['billing']],
  ['Mutation.deleteBalanceAlert', ['billing']],
  ['Mutation.updateAlertSettings', ['billing']],
  ['Mutation.testAlertWebhook', ['billing']],
  ['Account.balanceAlerts', ['read', 'billing']],
  ['Account.alertSettings', ['billing']],
  ['Account.alertDeliveries', ['read', 'billing']],
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
  ['CallbackDelivery', ['read', 'tasks', 'billing', 'key']],

  // logs
  ['Query.request', ['read', 'key']],
  ['Query.requests', ['read', 'key', 'operator']],
  ['Query.requestHistogram', ['read', 'key', 'operator']],
  ['Query.usage', ['read', 'key']],
  ['ApiKey.usage', ['read', 'key']],
  ['RequestLog', ['read', 'key']],
])

/** Returns the scopes that permit an operation; undefined if the table does not list it. */
export function permittedTo(operation: string): readonly Scope[] | undefined {
  return permissions.get(operation)
}

/** Returns whether a caller may do an operation. */
export function isPermitted(operation: string, callers: Callers): boolean {
  const scopes = scopesOf(callers)
  return permissions.get(operation)?.some(scope => scopes.includes(scope)) ?? false
}

/** Returns the fields of the graph that a caller may read or call, for example `Mutation.startTopUp`. */
export function permittedFields(callers: Callers): string[] {
  return permittedOperations().filter(name => name.includes('.') && isPermitted(name, callers))
}

/** Returns every operation of the table. */
export function permittedOperations(): string[] {
  return [...permissions.keys()]
}
