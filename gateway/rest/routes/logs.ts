import type { Route } from './route.ts'

const figures = `
  id createdAt apiKeyId route model answeredBy vendor byokId streamed status errorCode promptTokens cachedTokens
  cacheCreationTokens completionTokens reasoningTokens usageEstimated cost endUser firstByteMs durationMs`

/** The request log (docs/behaviour.md, Management API). Paged by cursor, as logs grow while they are read. */
export const logs: Route[] = [
  {
    method: 'GET',
    path: '/logs/requests',
    document: `
      query listRequests(
        $apiKeyId: [ID!], $model: [String!], $status: [String!], $since: DateTime, $until: DateTime
        $first: Int, $after: String
      ) {
        requests(
          apiKeyId: $apiKeyId, model: $model, status: $status, since: $since, until: $until
          first: $first, after: $after
        ) {
          data: nodes { ${figures} }
          pageInfo { hasNextPage endCursor }
        }
      }`,
  },
  {
    method: 'GET',
    path: '/logs/requests/{id}',
    document: `
      query readRequest($id: ID!) {
        request(id: $id) {
          ${figures} costTerms { label quantity unit rate amount } clientAddress upstreamRequestId
          attempts { credentialId model durationMs status error }
        }
      }`,
  },
]
