import { graphql, type ResultOf } from '../../graph/documents.ts'

const entryFields = graphql(`
  fragment EntryFields on AuditEntry {
    id
    action
    outcome
    actorKind
    user { id }
    actorEmail
    apiKey { id name }
    operator
    targetType
    targetId
    createdAt
  }
`)

export const entriesDocument = graphql(
  `
    query AuditEntries($first: Int, $after: String, $last: Int, $before: String, $filter: AuditFilterInput) {
      auditEntries(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
        nodes { ...EntryFields }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }
  `,
  [entryFields],
)

export type EntryRow = ResultOf<typeof entryFields>

/** The users and API keys by which entries are filtered. */
export const actorsDocument = graphql(`
  query AuditActors {
    members(first: 100) { nodes { id email } }
    apiKeys(first: 100) { nodes { id name } }
  }
`)

/** The objects of a page of entries that still exist. */
export const targetsDocument = graphql(`
  query AuditTargets($ids: [ID!]!) {
    nodes(ids: $ids) {
      __typename
      id
      ... on Account { name }
      ... on ApiKey { name }
      ... on ByokCredential { label }
      ... on Invitation { email }
      ... on Task { modelName }
      ... on User { email }
    }
  }
`)

export type FoundTarget = NonNullable<NonNullable<ResultOf<typeof targetsDocument>['nodes']>[number]>

export const entryDocument = graphql(
  `
    query AuditEntry($id: ID!) {
      node(id: $id) { __typename ... on AuditEntry { ...EntryFields fields reason address requestId } }
    }
  `,
  [entryFields],
)

export type EntryDetail = Extract<
  NonNullable<ResultOf<typeof entryDocument>['node']>,
  { __typename: 'AuditEntry' }
>
