import type { Route } from './route.ts'

/** The pricing record (docs/behaviour.md, Management API). */
const pricingRecord = `
  model_id: model { id } model: inferenceId modality currency unit
  rates { of unit price listPrice when abovePromptTokens }
  periods { from until hours rates { of unit price listPrice when abovePromptTokens } }
  surcharges { of unit price listPrice when abovePromptTokens }
  serviceTiers { tier percent }
  discount { percent chargedPercent }
  cache { read write minimumTokens }
  pricedParameters
  routes {
    vendor rates { of unit price listPrice when abovePromptTokens }
    periods { from until hours rates { of unit price listPrice when abovePromptTokens } }
    surcharges { of unit price listPrice when abovePromptTokens }
    discount { percent chargedPercent }
  }
  updatedAt`

/** The prices of models, as a list and one by one. */
export const pricing: Route[] = [
  {
    method: 'GET',
    path: '/pricing',
    document: `query listPricing { data: prices { ${pricingRecord} } }`,
    answer: [],
  },
  {
    method: 'GET',
    path: '/models/{modelId}/pricing',
    document: `query readPricing($modelId: ID!) { model(id: $modelId) { pricing { ${pricingRecord} } } }`,
    answer: ['model', 'pricing'],
  },
  {
    method: 'POST',
    path: '/pricing/quote',
    document: `
      query quotePrice($input: PriceQuoteInput!) {
        priceQuote(input: $input) { cost costTerms { label quantity unit rate amount } }
      }`,
  },
]

const record = 'id name provider modality description tags isPopular isActive createdAt updatedAt'

/** Models. A single model also has its parameters and prices (docs/behaviour.md, Management API). */
export const models: Route[] = [
  {
    method: 'GET',
    path: '/models',
    document: `
      query listModels($task: [Modality!], $provider: [Vendor!], $search: String, $first: Int, $after: String) {
        models(
          filter: { modalities: $task, providers: $provider, search: $search }, first: $first, after: $after
        ) {
          data: nodes { ${record} }
          totalCount
        }
      }`,
    page: ['page', 'per_page', 'total', 'total_pages'],
    wholeLists: ['provider'],
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
        model(id: $modelId) { ${record} model: inferenceId aliases parameters pricing { ${pricingRecord} } }
      }`,
  },
]
