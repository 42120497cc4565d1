import { findModels } from '../../domain/models/model-records.ts'
import { visibilityOf } from '../../domain/models/reachable-models.ts'
import type { Subgraph } from '../runtime/subgraph.ts'
import { batched } from '../runtime/subgraph.ts'
import { CatalogueEntryResolver } from './catalogue-entry.ts'
import { presentModel } from './model.ts'
import { ModelMutations } from './model-mutations.ts'
import { ModelResolver } from './model-resolver.ts'
import { ModelSubscriptions } from './model-subscriptions.ts'

const findModel = batched({
  findAll: async (context, ids) =>
    (await findModels(context, { ids, ...visibilityOf(context) })).map(presentModel),
  idOf: ({ id }) => id,
})

/** The model catalogue and its changes by operators. */
export const subgraph: Subgraph = {
  name: 'models',
  resolvers: [ModelResolver, CatalogueEntryResolver, ModelMutations, ModelSubscriptions],
  references: { Model: findModel },
}
