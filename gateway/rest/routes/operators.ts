import { auditRecord } from './audit.ts'
import { balanceRecord, transactionRecord } from './billing.ts'
import type { Route } from './route.ts'

const accountRecord = `
  id name emails createdAt suspendedAt suspensionReason closedAt closingReason eraseAt erasedAt credits held isPaying
  keyCount`

const allowanceRecord = 'resource limit unit windowSeconds isOwn'

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
  {
    method: 'POST',
    path: '/operator/accounts/{accountId}/view',
    document: `
      mutation viewAccount($input: ViewAccountInput!) {
        viewAccount(input: $input) { accessToken expiresAt account { ${accountRecord} } }
      }`,
    caller: 'operator',
    status: 201,
  },
  adjustment('credit', 'creditAccount'),
  adjustment('debit', 'debitAccount'),
  {
    method: 'PUT',
    path: '/operator/accounts/{accountId}/allowances/{resource}',
    document: `
      mutation setAllowance($input: SetAllowanceInput!) {
        setAllowance(input: $input) { account { ${accountRecord} allowances { ${allowanceRecord} } } }
      }`,
    answer: ['set_allowance', 'account'],
    caller: 'operator',
  },
  change('suspend', 'suspendAccount'),
  change('resume', 'resumeAccount'),
  change('close', 'closeAccount'),
  change('reopen', 'reopenAccount'),
  {
    method: 'POST',
    path: '/operator/accounts/{accountId}/reset-second-factors',
    document: `
      mutation resetSecondFactors($input: ResetSecondFactorsInput!) { resetSecondFactors(input: $input) { endedSessions } }`,
    caller: 'operator',
  },
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

/** Returns the route of a mutation that changes the credits of an account. */
function adjustment(verb: string, mutation: string): Route {
  const input = `${mutation.replace(/^./, letter => letter.toUpperCase())}Input`
  return {
    method: 'POST',
    path: `/operator/accounts/{accountId}/${verb}`,
    document: `
      mutation ${mutation}($input: ${input}!) {
        ${mutation}(input: $input) { transaction { ${transactionRecord} } balance { ${balanceRecord} } }
      }`,
    caller: 'operator',
    headers: { 'idempotency-key': 'idempotency_key' },
    status: 201,
  }
}

/** Returns the route of a mutation that changes the state of an account. */
function change(verb: string, mutation: string): Route {
  const input = `${mutation.replace(/^./, letter => letter.toUpperCase())}Input`
  return {
    method: 'POST',
    path: `/operator/accounts/{accountId}/${verb}`,
    document: `
      mutation ${mutation}($input: ${input}!) { ${mutation}(input: $input) { account { ${accountRecord} } } }`,
    answer: [`${verb}_account`, 'account'],
    caller: 'operator',
  }
}
