import type { Caller } from './caller.ts'
import type { Operator } from './operators.ts'

/** A kind of caller. `nobody` has no token, or an invalid one. */
export type CallerKind = Caller['kind'] | 'operator' | 'nobody'

const session: readonly CallerKind[] = ['session']
const manager: readonly CallerKind[] = ['session', 'provisioning']
const account: readonly CallerKind[] = ['session', 'provisioning', 'key']
const operator: readonly CallerKind[] = ['operator']
const reader: readonly CallerKind[] = [...account, ...operator]
const managerOrOperator: readonly CallerKind[] = [...manager, ...operator]
const everybody: readonly CallerKind[] = [...account, ...operator, 'nobody']

/**
 * Permissions for the graph, and so for `/api/v1` (docs/behaviour.md, Management API): for every root field, every
 * field that a subgraph adds to `Account`, every entity that an edge or `node` leads to, and fields that not every
 * viewer of their object may read. Operations that are not listed are denied. Each operation decides which objects of
 * an account its callers see: normally all of the account, but an ordinary key only its own requests.
 */
const permissions: ReadonlyMap<string, readonly CallerKind[]> = new Map([
  // accounts
  ['Query.me', account],
  ['Query.viewer', account],
  ['Mutation.signUp', everybody],
  ['Mutation.logIn', everybody],
  ['Mutation.refreshSession', everybody],
  ['Mutation.logOut', session],
  ['Mutation.requestEmailConfirmation', session],
  ['Mutation.confirmEmail', everybody],
  ['Mutation.changePassword', session],
  ['Mutation.requestPasswordReset', everybody],
  ['Mutation.resetPassword', everybody],
  ['Query.activeSessions', session],
  ['Mutation.endSession', session],
  ['ActiveSession', session],
  ['Account', account],
  ['Account.allowances', account],
  ['User', session],

  // keys
  ['Query.apiKey', session],
  ['Query.apiKeys', session],
  ['Mutation.createApiKey', session],
  ['Mutation.updateApiKey', session],
  ['Mutation.rollApiKey', session],
  ['Mutation.revokeApiKey', session],
  ['Account.apiKeys', session],
  ['ApiKey', account],
  ['ApiKey.fullKey', session],

  // budgets
  ['Query.budget', manager],
  ['Query.budgets', manager],
  ['Mutation.createBudget', manager],
  ['Mutation.updateBudget', manager],
  ['Mutation.deleteBudget', manager],
  ['Budget', manager],

  // byok
  ['Query.byokCredential', account],
  ['Query.byokCredentials', account],
  ['Mutation.createByokCredential', account],
  ['Mutation.updateByokCredential', account],
  ['Mutation.deleteByokCredential', account],
  ['Mutation.testByokCredential', account],
  ['Account.byokCredentials', account],
  ['ByokCredential', account],

  // models, pricing, nodes
  ['Query.model', reader],
  ['Query.models', reader],
  ['Query.popularModels', reader],
  ['Query.prices', reader],
  ['Query.node', account],
  ['Query.nodes', account],
  ['Query.catalogueEntry', operator],
  ['Mutation.putModel', operator],
  ['Mutation.updateModel', operator],
  ['Mutation.deleteModel', operator],
  ['Mutation.changeModels', operator],
  ['Subscription.modelsUpdated', reader],
  ['Model', reader],

  // billing
  ['Query.transaction', account],
  ['Query.transactions', reader],
  ['Query.topUp', manager],
  ['Query.topUps', managerOrOperator],
  ['Mutation.startTopUp', manager],
  ['Subscription.balanceChanged', account],
  ['Account.balance', account],
  ['Transaction', account],
  ['TopUp', manager],

  // audit
  ['Query.auditEntries', managerOrOperator],
  ['AuditEntry', managerOrOperator],

  // operators
  ['Query.accounts', operator],
  ['Query.account', operator],
  ['Mutation.suspendAccount', operator],
  ['Mutation.resumeAccount', operator],
  ['Mutation.setAllowance', operator],
  ['Mutation.creditAccount', operator],
  ['Mutation.debitAccount', operator],
  ['Query.reconciliation', operator],

  // alerts
  ['Query.balanceAlert', manager],
  ['Mutation.createBalanceAlert', manager],
  ['Mutation.deleteBalanceAlert', manager],
  ['Mutation.updateAlertSettings', manager],
  ['Account.balanceAlerts', manager],
  ['Account.alertSettings', manager],
  ['BalanceAlert', manager],

  // tasks
  ['Query.task', account],
  ['Query.tasks', account],
  ['Query.callbackDelivery', account],
  ['Query.callbackDeliveries', managerOrOperator],
  ['Query.callbackSecrets', manager],
  ['Mutation.cancelTask', account],
  ['Mutation.sendCallbackAgain', account],
  ['Mutation.rotateCallbackSecret', manager],
  ['Subscription.taskUpdated', account],
  ['Subscription.tasksUpdated', account],
  ['Task', account],
  ['CallbackDelivery', account],

  // logs
  ['Query.request', account],
  ['Query.requests', reader],
  ['Query.usage', account],
  ['ApiKey.usage', account],
  ['RequestLog', account],
])

/** Returns the kinds of callers that may do an operation; undefined if the table does not list it. */
export function permittedTo(operation: string): readonly CallerKind[] | undefined {
  return permissions.get(operation)
}

/** The caller: a user or key of an account, or an operator. */
interface Callers {
  caller?: Caller | undefined
  operator?: Operator | undefined
}

/** Whether a caller may do an operation. */
export function isPermitted(operation: string, callers: Callers): boolean {
  const kind = callers.operator ? 'operator' : (callers.caller?.kind ?? 'nobody')
  return permissions.get(operation)?.includes(kind) ?? false
}

/** Returns every operation of the table. */
export function permittedOperations(): string[] {
  return [...permissions.keys()]
}
