import { graphql, type ResultOf } from '../../../graph/documents.ts'

const callFields = graphql(`
  fragment CallFields on VendorCalls {
    answered refusedCredentials refusedRequests busy stopped broken timeouts aborted
  }
`)

export type Calls = ResultOf<typeof callFields>

export const vendorsDocument = graphql(
  `
  query VendorHealth {
    vendorHealth {
      processes
      minutes
      vendors {
        vendor
        name
        activeModels
        credentials {
          name weight models requestsPerMinute tokensPerMinute breaker openProcesses openAccounts
          calls { ...CallFields }
        }
        ownCalls { ...CallFields }
      }
    }
  }
`,
  [callFields],
)

type Report = NonNullable<ResultOf<typeof vendorsDocument>['vendorHealth']>
export type Vendor = Report['vendors'][number]
export type Credential = Vendor['credentials'][number]
