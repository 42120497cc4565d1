import { findModels } from '../../domain/models/model-records.ts'
import { visibilityOf } from '../../domain/models/reachable-models.ts'
import type { Subgraph } from '../runtime/subgraph.ts'
import { batched } from '../runtime/subgraph.ts'
import { CatalogueEntryResolver } from './catalogue-entry.ts'
import { CatalogueRevisionsResolver } from './catalogue-revisions.ts'
import { presentModel } from './model.ts'
import { ModelMutations } from './model-mutations.ts'
import { ModelResolver } from './model-resolver.ts'
import { ModelSubscriptions } from './model-subscriptions.ts'
import { VendorHealthResolver } from './vendor-health.ts'

const findModel = batched({
  findAll: async (context, ids) =>
    (await findModels(context, { ids, ...visibilityOf(context) })).map(presentModel),
  idOf: ({ id }) => id,
})

/** The model catalogue, its changes by operators, and the health of its vendors. */
export const subgraph: Subgraph = {
  name: 'models',
  resolvers: [
    ModelResolver,
    CatalogueEntryResolver,
    CatalogueRevisionsResolver,
    VendorHealthResolver,
    ModelMutations,
    ModelSubscriptions,
  ],
  references: { Model: findModel },
}
