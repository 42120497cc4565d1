import { graphql, type ResultOf } from '../../../graph/documents.ts'

export const platformLogDocument = graphql(`
  query PlatformLog($first: Int, $after: String, $last: Int, $before: String, $filter: AuditFilterInput) {
    auditEntries(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
      nodes { id action outcome operator targetType targetId fields address requestId createdAt }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`)

export type PlatformEntry = NonNullable<ResultOf<typeof platformLogDocument>['auditEntries']>['nodes'][number]
