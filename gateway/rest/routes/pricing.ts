import type { Route } from '../route.ts'

/** The pricing record (docs/behaviour.md, Management API). */
export const pricingRecord = `
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
