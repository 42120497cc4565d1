import { graphql, type ResultOf } from '../../graph/documents.ts'

/** A page of the list, and the bars above it: one query for the page. */
export const requestsDocument = graphql(`
  query Requests(
    $first: Int, $after: String, $last: Int, $before: String, $filter: RequestFilterInput
    $byDay: Boolean!, $days: UsageFilterInput, $period: RequestFilterInput!, $slot: HistogramSlot!
  ) {
    days: usage(first: 100, filter: $days, groupBy: [DAY]) @include(if: $byDay) {
      nodes { day requests failedRequests }
    }
    histogram: requestHistogram(filter: $period, slot: $slot) @skip(if: $byDay) {
      slots { since requests failedRequests }
      countedSince
    }
    requests(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
      nodes {
        id
        createdAt
        route
        modelName
        status
        errorCode
        promptTokens
        completionTokens
        cost
        usageEstimated
        durationMs
        firstByteMs
        vendor
        endUser
        apiKey { id name }
      }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`)

export type RequestsData = ResultOf<typeof requestsDocument>
export type RequestRow = NonNullable<ResultOf<typeof requestsDocument>['requests']>['nodes'][number]

export const requestDocument = graphql(`
  query Request($id: ID!) {
    request(id: $id) {
      id
      createdAt
      route
      modelName
      answeredByName
      vendor
      streamed
      status
      errorCode
      promptTokens
      cachedTokens
      cacheCreationTokens
      completionTokens
      reasoningTokens
      usageEstimated
      cost
      costTerms { label quantity unit rate amount }
      endUser
      metadata { key value }
      clientAddress
      upstreamRequestId
      firstByteMs
      durationMs
      apiKey { id name }
      attempts { vendor modelName credential { id label } credentialName status error durationMs reason }
    }
  }
`)

export type RequestDetail = NonNullable<ResultOf<typeof requestDocument>['request']>
