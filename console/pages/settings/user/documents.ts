import { graphql, type ResultOf } from '../../../graph/documents.ts'

export const userDocument = graphql(`
  query UserSettings {
    viewer { user { id name email emailConfirmedAt role createdAt } }
  }
`)

export type User = NonNullable<ResultOf<typeof userDocument>['viewer']['user']>

export const updateUserDocument = graphql(`
  mutation UpdateUser($input: UpdateUserInput!) { updateUser(input: $input) { user { id name } } }
`)

export const requestEmailChangeDocument = graphql(`
  mutation RequestEmailChange($input: RequestEmailChangeInput!) {
    requestEmailChange(input: $input) { isRequested }
  }
`)

export const membershipsDocument = graphql(`
  query Memberships($first: Int, $after: String, $last: Int, $before: String) {
    memberships(first: $first, after: $after, last: $last, before: $before) {
      nodes { accountId accountName role joinedAt isCurrent }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`)

export type Membership = NonNullable<ResultOf<typeof membershipsDocument>['memberships']>['nodes'][number]

export const leaveAccountDocument = graphql(`
  mutation LeaveAccount { leaveAccount { leftAccountId } }
`)
