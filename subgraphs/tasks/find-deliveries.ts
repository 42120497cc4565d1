import { platformId } from '../../domain/audit/record-action.ts'
import {
  type Delivery,
  type DeliveryTry,
  deliveriesOfTasks,
  findDeliveries,
  triesOf,
} from '../../domain/callbacks/list-deliveries.ts'
import { mayReadKey } from '../../domain/callers/caller.ts'
import { isPermitted } from '../../domain/callers/permissions.ts'
import { findTask } from '../../domain/tasks/read-task.ts'
import { requireCaller } from '../runtime/call.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { batched } from '../runtime/subgraph.ts'

const deliveryById = batched({
  findAll: (context, ids) => findDeliveries(context, { accountId: requireCaller(context).accountId, ids }),
  idOf: ({ id }) => id,
})

/** Returns the delivery of a task of the caller's account. */
export const deliveryOfTask = batched({
  findAll: (context, taskIds) =>
    deliveriesOfTasks(context, { accountId: requireCaller(context).accountId, taskIds }),
  idOf: ({ taskId }) => taskId ?? '',
})

/** Returns the delivery with this ID, or `undefined` if the account has none or the caller cannot read its task. */
export async function findDelivery(context: SubgraphContext, id: string): Promise<Delivery | undefined> {
  const { caller } = context
  const delivery = caller && (await deliveryById(context, id))
  if (!delivery) return undefined
  const { accountId, taskId } = delivery
  if (caller.kind !== 'key') return taskId === null || isPermitted('Task', context) ? delivery : undefined
  const task = taskId === null ? undefined : await findTask(context, { accountId, id: taskId })
  return task && mayReadKey(caller, task.apiKeyId) ? delivery : undefined
}

const triesByPlace = batched({
  async findAll(context, places) {
    const quotaAccountId = context.operator ? platformId : requireCaller(context).accountId
    const tries = await context.queries.run(quotaAccountId, from => triesOf(from, places.map(deliveryAt)))
    return [...Map.groupBy(tries, placeOf)].map(([place, triesThere]) => ({ place, tries: triesThere }))
  },
  idOf: ({ place }) => place,
})

function placeOf({ accountId, deliveryId }: { accountId: string; deliveryId: string }): string {
  return `${accountId}/${deliveryId}`
}

function deliveryAt(place: string): { accountId: string; id: string } {
  const [accountId = '', id = ''] = place.split('/')
  return { accountId, id }
}

/** Returns the attempts of a delivery, oldest first. */
export async function triesOfDelivery(
  context: SubgraphContext,
  { accountId, id }: { accountId: string; id: string },
): Promise<DeliveryTry[]> {
  return (await triesByPlace(context, placeOf({ accountId, deliveryId: id })))?.tries ?? []
}
