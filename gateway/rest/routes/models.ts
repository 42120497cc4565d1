import type { Route } from './route.ts'

/** The pricing record (docs/behaviour.md, Management API). */
const pricingRecord = `
  modelId model modality currency unit
  rates { of unit price listPrice when abovePromptTokens }
  surcharges { of unit price listPrice when abovePromptTokens }
  discount { percent chargedPercent }
  cache { read write minimumTokens }
  updatedAt`

/** What models cost, all of them and one by one. */
export const pricing: Route[] = [
  {
    method: 'GET',
    path: '/pricing',
    document: `query listPricing { data: pricing { ${pricingRecord} } }`,
    answer: [],
  },
  {
    method: 'GET',
    path: '/models/{modelId}/pricing',
    document: `query readPricing($modelId: ID!) { model(id: $modelId) { pricing { ${pricingRecord} } } }`,
    answer: ['model', 'pricing'],
  },
]

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
