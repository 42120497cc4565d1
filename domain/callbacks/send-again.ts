import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'
import { type Delivery, findDeliveries } from './list-deliveries.ts'

/** Number of attempts after which a delivery cannot be sent again. */
export const maxTries = 100

/**
 * Sends a delivery again at once, with the same `webhook-id`. If that fails, the retry schedule starts again. A
 * delivery that is being sent is not changed. Throws `not_found`, and `conflict` if the delivery has had `maxTries`
 * attempts.
 */
export async function sendAgain(
  { sql }: Pick<Context, 'sql'>,
  { accountId, id }: { accountId: string; id: string },
): Promise<Delivery> {
  const [before] = await sql<{ tries: number }[]>`
    select had_tries as tries from send_again(${accountId}, ${id}, ${maxTries})`
  if (!before) throw new Problem('not_found', { message: 'No delivery of this account has that id.' })
  if (before.tries >= maxTries) {
    const message = `The delivery has had ${maxTries} attempts or more, so it cannot be sent again.`
    throw new Problem('conflict', { message })
  }
  const [delivery] = await findDeliveries({ sql }, { accountId, ids: [id] })
  if (!delivery) throw new Problem('not_found', { message: 'No delivery of this account has that id.' })
  return delivery
}
