import type { Route } from './route.ts'

export const requestRecord = `
  id createdAt api_key_id: apiKey { id } route model: modelName answered_by: answeredByName vendor
  byok_id: credential { id } streamed status errorCode promptTokens cachedTokens cacheCreationTokens completionTokens
  reasoningTokens usageEstimated cost endUser metadata { key value } firstByteMs durationMs`

/**
 * The request log (docs/behaviour.md, Management API). It is paged by cursor, because it grows while clients read it.
 */
export const logs: Route[] = [
  {
    method: 'GET',
    path: '/logs/requests',
    isExported: true,
    document: `
      query listRequests(
        $apiKeyId: [ID!], $model: [String!], $status: [String!], $vendor: [Vendor!], $endUser: [String!]
        $metadata: [String!]
        $minCost: Money, $maxCost: Money, $since: DateTime, $until: DateTime
        $orderBy: RequestOrderField! = CREATED_AT, $direction: OrderDirection! = DESC, $first: Int, $after: String
      ) {
        requests(
          filter: {
            apiKeyIds: $apiKeyId, models: $model, statuses: $status, vendors: $vendor, endUsers: $endUser
            metadata: $metadata, minCost: $minCost, maxCost: $maxCost, since: $since, until: $until
          }
          orderBy: { field: $orderBy, direction: $direction }, first: $first, after: $after
        ) {
          data: nodes { ${requestRecord} }
          pageInfo { hasNextPage endCursor }
        }
      }`,
  },
  {
    method: 'GET',
    path: '/logs/histogram',
    document: `
      query readHistogram(
        $slot: HistogramSlot!, $apiKeyId: [ID!], $model: [String!], $status: [String!], $vendor: [Vendor!]
        $endUser: [String!], $metadata: [String!], $minCost: Money, $maxCost: Money, $since: DateTime!, $until: DateTime
      ) {
        requestHistogram(
          slot: $slot
          filter: {
            apiKeyIds: $apiKeyId, models: $model, statuses: $status, vendors: $vendor, endUsers: $endUser
            metadata: $metadata, minCost: $minCost, maxCost: $maxCost, since: $since, until: $until
          }
        ) { slots { since until requests failedRequests } countedSince }
      }`,
  },
  {
    method: 'GET',
    path: '/logs/requests/{id}',
    document: `
      query readRequest($id: ID!) {
        request(id: $id) {
          ${requestRecord} costTerms { label quantity unit rate amount } clientAddress upstreamRequestId
          attempts { credential_id: credential { id } model: modelName durationMs status error }
        }
      }`,
  },
]

export const usageFigures = `
  requests failedRequests promptTokens cachedTokens cacheCreationTokens completionTokens reasoningTokens spent`

/** Usage, as counted when requests settle. */
export const usage: Route[] = [
  {
    method: 'GET',
    path: '/usage',
    isExported: true,
    document: `
      query listUsage(
        $groupBy: [UsageDimension!]! = [DAY], $since: Date, $until: Date, $apiKeyId: [ID!], $model: [String!]
        $endUser: [String!], $metadata: [String!], $groupByMetadata: String
        $orderBy: UsageOrderField! = GROUP, $direction: OrderDirection! = DESC, $first: Int, $after: String
      ) {
        usage(
          groupBy: $groupBy, groupByMetadata: $groupByMetadata
          filter: {
            since: $since, until: $until, apiKeyIds: $apiKeyId, models: $model, endUsers: $endUser, metadata: $metadata
          }
          orderBy: { field: $orderBy, direction: $direction }, first: $first, after: $after
        ) {
          data: nodes {
            day api_key_id: apiKey { id } model: modelName endUserKind endUser metadataKind metadataValue ${usageFigures}
            durationP50Ms durationP95Ms firstByteP50Ms firstByteP95Ms
          }
          pageInfo { hasNextPage endCursor }
        }
      }`,
  },
]
