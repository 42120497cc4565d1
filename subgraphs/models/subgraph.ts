import { findModels } from '../../domain/models/model-records.ts'
import type { Subgraph } from '../runtime/subgraph.ts'
import { batched } from '../runtime/subgraph.ts'
import { presentModel } from './model.ts'
import { ModelResolver } from './model-resolver.ts'

const findModel = batched({
  findAll: async (context, ids) => (await findModels(context, { ids })).map(presentModel),
  idOf: ({ id }) => id,
})

/** What can be called. */
export const subgraph: Subgraph = {
  name: 'models',
  resolvers: [ModelResolver],
  references: { Model: findModel },
}
