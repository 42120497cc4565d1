import { userRecord } from './accounts.ts'
import { alertRecord } from './alerts.ts'
import { publicKeyRecord } from './api-keys.ts'
import { auditRecord } from './audit.ts'
import { automaticTopUpRecord, balanceRecord, topUpRecord, transactionRecord } from './billing.ts'
import { budgetRecord } from './budgets.ts'
import { credentialRecord } from './byok.ts'
import { requestRecord, usageFigures } from './logs.ts'
import { invitationRecord } from './members.ts'
import type { Route } from './route.ts'
import { deliveryWithTries, taskRecord } from './tasks.ts'

/** Query parameters of the export. They limit the parts with one record for each request, task or action. */
export const exportPeriod = {
  since: 'Exports transactions, tasks, audit entries and requests only at or after this time.',
  until: 'Exports transactions, tasks, audit entries and requests only before this time.',
} as const

/** The path of the export below `/api/v1`. */
export const accountExportPath = '/account-export'

/** A part of the export of an account: records of one type. */
export interface ExportedPart extends Route {
  /** The `type` of each record. */
  type: string
}

/**
 * The parts of the export of an account, in their order (docs/closing.md). Records have the format of the REST API. No
 * document selects a secret: the export needs no confirmation.
 */
export const exportedParts: readonly ExportedPart[] = [
  {
    ...part('account'),
    document: `
      query { me { id name createdAt balance { ${balanceRecord} } automaticTopUp { ${automaticTopUpRecord} } } }`,
  },
  list('member', 'members', userRecord),
  list('invitation', 'invitations', invitationRecord),
  list('api_key', 'apiKeys', publicKeyRecord),
  { ...part('credential'), document: `query { byokCredentials { ${credentialRecord} } }` },
  list('budget', 'budgets', budgetRecord),
  {
    ...part('balance_alert'),
    document: `query { me { balanceAlerts { ${alertRecord} } } }`,
    answer: ['me', 'balance_alerts'],
  },
  timedList('transaction', 'transactions', transactionRecord),
  list('top_up', 'topUps', topUpRecord),
  timedList('task', 'tasks', taskRecord),
  list('callback', 'callbackDeliveries', deliveryWithTries),
  timedList('audit_entry', 'auditEntries', auditRecord),
  {
    ...part('usage'),
    document: `
      query ($first: Int, $after: String) {
        usage(groupBy: [DAY, API_KEY, MODEL], first: $first, after: $after) {
          data: nodes { day api_key_id: apiKey { id } model: modelName ${usageFigures} }
          pageInfo { hasNextPage endCursor }
        }
      }`,
  },
  timedList('request', 'requests', requestRecord),
]

/** Returns the part of a list that is paged by cursor. */
function list(type: string, field: string, record: string): ExportedPart {
  return {
    ...part(type),
    document: `
      query ($first: Int, $after: String) {
        ${field}(first: $first, after: $after) { data: nodes { ${record} } pageInfo { hasNextPage endCursor } }
      }`,
  }
}

/** Returns the part of a list that can be limited to a period. */
function timedList(type: string, field: string, record: string): ExportedPart {
  return {
    ...part(type),
    document: `
      query ($since: DateTime, $until: DateTime, $first: Int, $after: String) {
        ${field}(filter: { since: $since, until: $until }, first: $first, after: $after) {
          data: nodes { ${record} }
          pageInfo { hasNextPage endCursor }
        }
      }`,
  }
}

function part(type: string) {
  return { type, method: 'GET' as const, path: accountExportPath }
}
