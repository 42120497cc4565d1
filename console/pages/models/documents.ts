import { graphql, type ResultOf } from '../../graph/documents.ts'
import { pricingFields, rateFields } from '../../prices/documents.ts'

const modelFields = graphql(
  `
    fragment ModelFields on Model {
      id
      inferenceId
      name
      provider
      modality
      isPopular
      inputs
      contextTokens
      pricing { rates { ...RateFields } cache { read } discount { percent } }
    }
  `,
  [rateFields],
)

export type ModelRow = ResultOf<typeof modelFields>

export const modelsDocument = graphql(
  `
    query Models($first: Int, $after: String, $last: Int, $before: String, $filter: ModelFilterInput) {
      models(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
        nodes { ...ModelFields }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }
  `,
  [modelFields],
)

export const modelDocument = graphql(
  `
    query Model($id: ID!) {
      model(id: $id) {
        id
        inferenceId
        aliases
        name
        provider
        modality
        description
        tags
        inputs
        contextTokens
        maxOutputTokens
        parameters
        updatedAt
        pricing { ...PricingFields }
      }
    }
  `,
  [pricingFields],
)

export type ModelDetail = NonNullable<ResultOf<typeof modelDocument>['model']>

export const catalogueDocument = graphql(`
  subscription CatalogueChanges { modelsUpdated { revision models { id name } withdrawnModelIds } }
`)

export const quoteDocument = graphql(`
  query PriceQuote($input: PriceQuoteInput!) {
    priceQuote(input: $input) { cost costTerms { label quantity unit rate amount } }
  }
`)
