import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'
import { type Delivery, findDeliveries } from './list-deliveries.ts'

/** Tries that one delivery may have, however often it is sent again. */
export const maxTries = 100

/**
 * Sends a delivery again at once, under the same `webhook-id`, and by the full schedule if that fails. A delivery
 * that is being sent is not changed. Throws `not_found`, and `conflict` if its attempts are used up.
 */
export async function sendAgain(
  { sql }: Pick<Context, 'sql'>,
  { accountId, id }: { accountId: string; id: string },
): Promise<Delivery> {
  const [before] = await sql<{ tries: number }[]>`
    select had_tries as tries from send_again(${accountId}, ${id}, ${maxTries})`
  if (!before) throw new Problem('not_found', { message: 'No delivery of this account has that id.' })
  if (before.tries >= maxTries) {
    const message = `A delivery is tried at most ${maxTries} times.`
    throw new Problem('conflict', { message })
  }
  const [delivery] = await findDeliveries({ sql }, { accountId, ids: [id] })
  if (!delivery) throw new Problem('not_found', { message: 'No delivery of this account has that id.' })
  return delivery
}
