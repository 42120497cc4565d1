import type { Route } from '../route.ts'
import { pricingRecord } from './pricing.ts'

const record = 'id name provider modality description tags isPopular isActive createdAt updatedAt'

/** Models. The detail adds what its callers need next (docs/behaviour.md, Management API). */
export const models: Route[] = [
  {
    method: 'GET',
    path: '/models',
    document: `
      query listModels($task: [Modality!], $provider: [String!], $search: String, $page: Int, $perPage: Int) {
        models(task: $task, provider: $provider, search: $search, page: $page, perPage: $perPage) {
          data: items { ${record} }
          page perPage total totalPages
        }
      }`,
  },
  {
    method: 'GET',
    path: '/models/popular',
    document: `query listPopularModels { data: popularModels { ${record} } }`,
    answer: [],
  },
  {
    method: 'GET',
    path: '/models/{modelId}',
    document: `
      query readModel($modelId: ID!) {
        model(id: $modelId) { ${record} model parameters pricing { ${pricingRecord} } }
      }`,
  },
]
