import { auditRecord } from './audit.ts'
import { balanceRecord, transactionRecord } from './billing.ts'
import type { Route } from './route.ts'

const accountRecord = `
  id name emails createdAt suspendedAt suspensionReason closedAt closingReason eraseAt erasedAt credits held isPaying
  keyCount`

const allowanceRecord = 'resource limit unit windowSeconds isOwn'

const adjustmentRecord = `transaction { ${transactionRecord} } balance { ${balanceRecord} }`

/** A change of credits is made once for each idempotency key. */
const adjustment: Partial<Route> = { headers: { 'idempotency-key': 'idempotency_key' }, status: 201 }

const callRecord = 'answered refusedCredentials refusedRequests busy stopped broken timeouts aborted'

/** The accounts, the catalogue and the vendors of the platform, for operators (docs/behaviour.md, Operators). */
export const operators: Route[] = [
  {
    method: 'GET',
    path: '/operator',
    document: 'query readOperator { operator { name permittedFields } }',
    caller: 'operator',
  },
  {
    method: 'GET',
    path: '/operator/accounts',
    document: `
      query listAccounts(
        $search: String, $isSuspended: Boolean, $isClosed: Boolean, $isPaying: Boolean, $first: Int, $after: String
      ) {
        accounts(
          search: $search, isSuspended: $isSuspended, isClosed: $isClosed, isPaying: $isPaying, first: $first
          after: $after
        ) {
          data: nodes { ${accountRecord} }
          pageInfo { hasNextPage endCursor }
        }
      }`,
    caller: 'operator',
  },
  {
    method: 'GET',
    path: '/operator/accounts/{id}',
    document: `
      query readOverview($id: ID!) { account(id: $id) { ${accountRecord} allowances { ${allowanceRecord} } } }`,
    caller: 'operator',
  },
  action('view', 'viewAccount', `accessToken expiresAt account { ${accountRecord} }`, { status: 201 }),
  action('credit', 'creditAccount', adjustmentRecord, adjustment),
  action('debit', 'debitAccount', adjustmentRecord, adjustment),
  action(
    'allowances/{resource}',
    'setAllowance',
    `account { ${accountRecord} allowances { ${allowanceRecord} } }`,
    { method: 'PUT', answer: ['set_allowance', 'account'] },
  ),
  ...['suspend', 'resume', 'close', 'reopen'].map(verb =>
    action(verb, `${verb}Account`, `account { ${accountRecord} }`, {
      answer: [`${verb}_account`, 'account'],
    }),
  ),
  action('reset-second-factors', 'resetSecondFactors', 'endedSessions'),
  {
    method: 'GET',
    path: '/operator/reconciliation',
    document: `
      query compareBooks($after: ID) {
        reconciliation(after: $after) {
          accounts differences { accountId fault subject expected found } endCursor
        }
      }`,
    caller: 'operator',
  },
  {
    method: 'GET',
    path: '/operator/audit-log',
    document: `
      query listPlatformActions($first: Int, $after: String) {
        auditEntries(first: $first, after: $after) { data: nodes { ${auditRecord} } totalCount }
      }`,
    caller: 'operator',
    page: ['total', 'page', 'per_page'],
  },
  {
    method: 'GET',
    path: '/operator/models',
    document: `
      query listCatalogue($isActive: Boolean, $search: String, $first: Int, $after: String) {
        models(filter: { isActive: $isActive, search: $search }, first: $first, after: $after) {
          data: nodes { id model: inferenceId name provider modality isActive isPopular revision updatedAt }
          totalCount
        }
      }`,
    caller: 'operator',
    page: ['total', 'page', 'per_page'],
  },
  {
    method: 'GET',
    path: '/operator/models/{id}',
    document: `
      query readEntry($id: ID!) {
        catalogueEntry(id: $id) { model { id revision } origin declaration }
      }`,
    caller: 'operator',
  },
  {
    method: 'GET',
    path: '/operator/models/{modelId}/revisions',
    document: `
      query listRevisions($modelId: ID!, $first: Int, $after: String) {
        catalogueRevisions(modelId: $modelId, first: $first, after: $after) {
          data: nodes { revision origin operator isDeletion declaration createdAt }
          totalCount
        }
      }`,
    caller: 'operator',
    page: ['total', 'page', 'per_page'],
  },
  {
    method: 'PUT',
    path: '/operator/models',
    document: `
      mutation putModel($input: PutModelInput!) {
        putModel(input: $input) { model { id name isActive isPopular revision updatedAt } }
      }`,
    answer: ['put_model', 'model'],
    caller: 'operator',
  },
  {
    method: 'GET',
    path: '/operator/vendors',
    document: `
      query readVendorHealth {
        vendorHealth {
          processes minutes
          vendors {
            vendor name activeModels
            credentials {
              name weight models requestsPerMinute tokensPerMinute breaker openProcesses openAccounts
              calls { ${callRecord} }
            }
            ownCalls { ${callRecord} }
          }
        }
      }`,
    caller: 'operator',
  },
]

/** Returns the route of a mutation that acts on an account. `result` is what it selects. */
function action(verb: string, mutation: string, result: string, more: Partial<Route> = {}): Route {
  const input = `${mutation.replace(/^./, letter => letter.toUpperCase())}Input`
  return {
    method: 'POST',
    path: `/operator/accounts/{accountId}/${verb}`,
    document: `mutation ${mutation}($input: ${input}!) { ${mutation}(input: $input) { ${result} } }`,
    caller: 'operator',
    ...more,
  }
}
