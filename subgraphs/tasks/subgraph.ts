import type { Subgraph } from '../runtime/subgraph.ts'
import { presentDelivery } from './callback-delivery.ts'
import { CallbackResolver } from './callback-resolver.ts'
import { findDelivery } from './find-deliveries.ts'
import { findTaskById, TaskResolver } from './task-resolver.ts'
import { TaskSubscriptions } from './task-subscriptions.ts'

/** Tasks, their callbacks and their subscriptions. */
export const subgraph: Subgraph = {
  name: 'tasks',
  resolvers: [TaskResolver, TaskSubscriptions, CallbackResolver],
  references: {
    Task: findTaskById,
    CallbackDelivery: async (context, id) => {
      const delivery = await findDelivery(context, id)
      return delivery && presentDelivery(delivery)
    },
  },
}
