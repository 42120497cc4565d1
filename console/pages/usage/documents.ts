import { graphql, type ResultOf } from '../../graph/documents.ts'

const groupFields = graphql(`
  fragment UsageGroupFields on UsageGroup {
    modelName
    apiKey { id name }
    endUserKind
    endUser
    metadataKind
    metadataValue
    requests
    failedRequests
    promptTokens
    completionTokens
    spent
    durationP50Ms
    durationP95Ms
    firstByteP50Ms
    firstByteP95Ms
  }
`)

export type Group = ResultOf<typeof groupFields>

export const groupsDocument = graphql(
  `
    query UsageGroups(
      $filter: UsageFilterInput, $groupBy: [UsageDimension!]!, $groupByMetadata: String
      $first: Int, $after: String, $last: Int, $before: String
    ) {
      usage(
        filter: $filter, groupBy: $groupBy, groupByMetadata: $groupByMetadata
        orderBy: { field: SPENT, direction: DESC }
        first: $first, after: $after, last: $last, before: $before
      ) {
        nodes { ...UsageGroupFields }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }
  `,
  [groupFields],
)

const dayFields = graphql(`
  fragment UsageDayFields on UsageGroup { day requests failedRequests promptTokens completionTokens spent }
`)

export type Day = ResultOf<typeof dayFields>

/** How long requests took, by day. */
export const latenciesDocument = graphql(`
  query UsageLatencies($filter: UsageFilterInput) {
    usage(first: 100, filter: $filter, groupBy: [DAY]) { nodes { day durationP50Ms durationP95Ms firstByteP50Ms firstByteP95Ms } }
  }
`)

/** Usage by day, and the groups that cost most. */
export const daysDocument = graphql(
  `
    query UsageDays($filter: UsageFilterInput, $groupBy: [UsageDimension!]!, $groupByMetadata: String) {
      days: usage(first: 100, filter: $filter, groupBy: [DAY]) { nodes { ...UsageDayFields } }
      top: usage(
        first: 5, filter: $filter, groupBy: $groupBy, groupByMetadata: $groupByMetadata
        orderBy: { field: SPENT, direction: DESC }
      ) { nodes { ...UsageGroupFields } }
    }
  `,
  [dayFields, groupFields],
)

/** Usage by day of up to three groups, each with its own filter. */
export const seriesDocument = graphql(
  `
    query UsageSeries(
      $one: UsageFilterInput, $two: UsageFilterInput, $three: UsageFilterInput
      $hasTwo: Boolean!, $hasThree: Boolean!
    ) {
      one: usage(first: 100, filter: $one, groupBy: [DAY]) { nodes { ...UsageDayFields } }
      two: usage(first: 100, filter: $two, groupBy: [DAY]) @include(if: $hasTwo) { nodes { ...UsageDayFields } }
      three: usage(first: 100, filter: $three, groupBy: [DAY]) @include(if: $hasThree) {
        nodes { ...UsageDayFields }
      }
    }
  `,
  [dayFields],
)
