import { graphql, type ResultOf } from '../../../graph/documents.ts'
import { rateFields } from '../../../prices/documents.ts'

const modelFields = graphql(
  `
    fragment CatalogueModelFields on Model {
      id inferenceId name provider modality isActive isPopular revision updatedAt
      pricing { rates { ...RateFields } }
    }
  `,
  [rateFields],
)

export type CatalogueModel = ResultOf<typeof modelFields>

/** Names the type with whose mutations the list is fetched again. */
export const modelsContext = { additionalTypenames: ['Model'] }

export const catalogueDocument = graphql(
  `
    query Catalogue($first: Int, $after: String, $last: Int, $before: String, $filter: ModelFilterInput) {
      models(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
        nodes { ...CatalogueModelFields }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }
  `,
  [modelFields],
)
