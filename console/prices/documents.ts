import { graphql, type ResultOf } from '../graph/documents.ts'

export const rateFields = graphql(`
  fragment RateFields on PricingRate { of unit price listPrice when abovePromptTokens }
`)

export type Rate = ResultOf<typeof rateFields>

/** Every price of a model. */
export const pricingFields = graphql(
  `
    fragment PricingFields on Pricing {
      unit
      rates { ...RateFields }
      periods { from until hours rates { ...RateFields } }
      surcharges { ...RateFields }
      serviceTiers { tier percent }
      discount { percent }
      cache { read write minimumTokens }
      pricedParameters
      routes { vendor rates { ...RateFields } surcharges { ...RateFields } discount { percent } }
      updatedAt
    }
  `,
  [rateFields],
)

export type Pricing = ResultOf<typeof pricingFields>
