import { findSessions } from '../../domain/accounts/list-sessions.ts'
import { findBalanceAlerts } from '../../domain/alerts/balance-alert-records.ts'
import { findActions } from '../../domain/audit/list-actions.ts'
import { findTransactions } from '../../domain/billing/list-transactions.ts'
import { findPayments } from '../../domain/billing/payment-records.ts'
import { findBudgets } from '../../domain/budgets/budget-records.ts'
import { findCredentials } from '../../domain/byok/credential-records.ts'
import { findDeliveries } from '../../domain/callbacks/list-deliveries.ts'
import { type Caller, callingKeyOf } from '../../domain/callers/caller.ts'
import { isPermitted } from '../../domain/callers/permissions.ts'
import { findKeys } from '../../domain/keys/key-records.ts'
import { findRequests } from '../../domain/logs/request-log.ts'
import { findInvitations } from '../../domain/members/invitation-records.ts'
import { findMembers } from '../../domain/members/member-records.ts'
import { findModels } from '../../domain/models/model-records.ts'
import { visibilityOf } from '../../domain/models/reachable-models.ts'
import { listIdentities } from '../../domain/single-sign-on/identities.ts'
import { findTasks } from '../../domain/tasks/read-task.ts'
import { isUuid } from '../../platform/checks.ts'
import type { SubgraphContext } from '../runtime/services.ts'

/** A type whose objects `node` finds. */
interface NodeType {
  typeName: string
  /** Returns whether the ID has the format of this type. Several types can share a format; their IDs still differ. */
  isId(id: string): boolean
  /** Returns the objects with these IDs that the caller can see. Runs at most one statement. */
  find(context: SubgraphContext, caller: Caller, ids: readonly string[]): Promise<{ id: string }[]>
}

/** Every type with an ID. The type's own subgraph presents the object and checks permissions again. */
export const nodeTypes: readonly NodeType[] = [
  {
    typeName: 'Account',
    isId: isUuid,
    find: async (_context, { accountId }, ids) => ifIncluded(ids, accountId),
  },
  {
    typeName: 'User',
    isId: isUuid,
    find: async (context, { accountId }, ids) => findMembers(context, { accountId, ids }),
  },
  {
    typeName: 'Invitation',
    isId: isUuid,
    find: async (context, { accountId }, ids) => findInvitations(context, { accountId, ids }),
  },
  {
    typeName: 'ActiveSession',
    isId: isUuid,
    find: async (context, caller, ids) =>
      caller.kind === 'session' ? findSessions(context, { ...caller, ids }) : [],
  },
  {
    typeName: 'LinkedIdentity',
    isId: isUuid,
    find: async (context, caller, ids) =>
      caller.kind === 'session' ? listIdentities(context, { ...caller, ids }) : [],
  },
  {
    typeName: 'ApiKey',
    isId: isUuid,
    find: async (context, caller, ids) => {
      const { accountId } = caller
      const own = callingKeyOf(caller)
      const keyIds = isPermitted('Query.apiKeys', context) ? ids : ids.filter(id => id === own)
      return findKeys(context, { accountId, keyIds })
    },
  },
  {
    typeName: 'ByokCredential',
    isId: isUuid,
    find: async (context, { accountId }, ids) => findCredentials(context, { accountId, ids }),
  },
  {
    typeName: 'Budget',
    isId: isUuid,
    find: async (context, { accountId }, budgetIds) => findBudgets(context, { accountId, budgetIds }),
  },
  {
    typeName: 'BalanceAlert',
    isId: isUuid,
    find: async (context, { accountId }, alertIds) => findBalanceAlerts(context, { accountId, alertIds }),
  },
  {
    typeName: 'Task',
    isId: id => id.startsWith('task_'),
    find: findOwnTasks,
  },
  {
    typeName: 'CallbackDelivery',
    isId: id => id.startsWith('msg_'),
    find: async (context, caller, ids) => {
      const deliveries = await findDeliveries(context, { accountId: caller.accountId, ids })
      const mayReadTasks = isPermitted('Task', context)
      if (caller.kind !== 'key') return deliveries.filter(({ taskId }) => taskId === null || mayReadTasks)
      const taskIds = deliveries.flatMap(({ taskId }) => taskId ?? [])
      const own = new Set((await findOwnTasks(context, caller, taskIds)).map(({ id }) => id))
      return deliveries.filter(({ taskId }) => taskId !== null && own.has(taskId))
    },
  },
  {
    typeName: 'Transaction',
    isId: id => id.startsWith('txn_'),
    find: async (context, { accountId }, ids) => findTransactions(context, { accountId, ids }),
  },
  {
    typeName: 'AuditEntry',
    isId: id => id.startsWith('act_'),
    find: async (context, { kind, accountId }, ids) =>
      kind === 'key' ? [] : findActions(context, { accountId, ids }),
  },
  {
    typeName: 'TopUp',
    isId: id => id.startsWith('pay_'),
    find: async (context, { kind, accountId }, ids) =>
      kind === 'key' ? [] : findPayments(context, { accountId, ids }),
  },
  {
    typeName: 'RequestLog',
    isId: id => id.startsWith('req_'),
    find: async (context, caller, requestIds) => {
      const requests = await findRequests(context, { accountId: caller.accountId, requestIds })
      return requests.filter(({ apiKeyId }) => caller.kind !== 'key' || caller.keyId === apiKeyId)
    },
  },
  {
    typeName: 'Model',
    isId: id => id.includes('.'),
    find: async (context, _caller, ids) =>
      (await findModels(context, { ids, ...visibilityOf(context) })).map(({ entry }) => ({ id: entry.id })),
  },
]

/** Returns the tasks that the caller can read. Ordinary keys can read only the tasks that they submitted. */
async function findOwnTasks(
  context: SubgraphContext,
  caller: Caller,
  ids: readonly string[],
): Promise<{ id: string }[]> {
  const { accountId } = caller
  const tasks = await findTasks(
    context,
    ids.map(id => ({ accountId, id })),
  )
  return tasks.filter(({ apiKeyId }) => caller.kind !== 'key' || caller.keyId === apiKeyId)
}

function ifIncluded(ids: readonly string[], own: string): { id: string }[] {
  return ids.includes(own) ? [{ id: own }] : []
}

/**
 * Returns the objects with these IDs, of any type and in any order. Runs one statement for each type whose format
 * matches.
 */
export async function findNodes(
  context: SubgraphContext,
  ids: readonly string[],
): Promise<{ typeName: string; id: string }[]> {
  const { caller } = context
  if (!caller) return []
  const found = await Promise.all(
    nodeTypes.map(async ({ typeName, isId, find }) => {
      const possible = isPermitted(typeName, { caller }) ? ids.filter(isId) : []
      const objects = possible.length === 0 ? [] : await find(context, caller, possible)
      return objects.map(({ id }) => ({ typeName, id }))
    }),
  )
  return found.flat()
}
