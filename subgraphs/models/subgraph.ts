import { findModels } from '../../domain/models/model-records.ts'
import type { Subgraph } from '../runtime/subgraph.ts'
import { batched } from '../runtime/subgraph.ts'
import { CatalogueEntryResolver } from './catalogue-entry.ts'
import { presentModel } from './model.ts'
import { ModelMutations } from './model-mutations.ts'
import { ModelResolver } from './model-resolver.ts'
import { ModelSubscriptions } from './model-subscriptions.ts'

const findModel = batched({
  findAll: async (context, ids) => {
    const inactiveToo = context.operator !== undefined
    return (await findModels(context, { ids, inactiveToo })).map(presentModel)
  },
  idOf: ({ id }) => id,
})

/** What can be called, and how operators change it. */
export const subgraph: Subgraph = {
  name: 'models',
  resolvers: [ModelResolver, CatalogueEntryResolver, ModelMutations, ModelSubscriptions],
  references: { Model: findModel },
}
