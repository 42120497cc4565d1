import { graphql, type ResultOf } from '../../../graph/documents.ts'
import { pricingFields } from '../../../prices/documents.ts'

/** Names the types with whose mutations the entry and its history are fetched again. */
export const entryContext = { additionalTypenames: ['Model', 'CatalogueEntry', 'CatalogueRevision'] }

export const entryDocument = graphql(
  `
    query CatalogueEntry($id: ID!) {
      catalogueEntry(id: $id) {
        origin
        declaration
        model { id inferenceId name isActive revision updatedAt pricing { ...PricingFields } }
      }
    }
  `,
  [pricingFields],
)

export type Entry = NonNullable<ResultOf<typeof entryDocument>['catalogueEntry']>

export const revisionsDocument = graphql(`
  query CatalogueRevisions($modelId: ID!, $first: Int, $after: String, $last: Int, $before: String) {
    catalogueRevisions(modelId: $modelId, first: $first, after: $after, last: $last, before: $before) {
      nodes { revision origin operator isDeletion declaration createdAt }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`)

export type Revision = NonNullable<ResultOf<typeof revisionsDocument>['catalogueRevisions']>['nodes'][number]

export const putDocument = graphql(`
  mutation PutModel($input: PutModelInput!) { putModel(input: $input) { model { id revision } } }
`)

export const deleteDocument = graphql(`
  mutation DeleteModel($input: DeleteModelInput!) { deleteModel(input: $input) { deletedModelId } }
`)
