import { explainFault } from '../../platform/process/explain-fault.ts'
import type { Context } from '../context.ts'
import { presentTask } from '../tasks/present-task.ts'
import { findTask } from '../tasks/read-task.ts'
import { readCallbackSecrets } from './callback-secrets.ts'
import type { BegunTry } from './claim-deliveries.ts'
import { outcomeOf, type TryResult } from './retry-schedule.ts'
import { signDelivery } from './sign-delivery.ts'

/** Sends one request to a customer's URL, within `tryTimeoutMs`. Never rejects. */
export type PostCallback = (request: CallbackRequest) => Promise<TryResult>

export interface CallbackRequest {
  url: string
  headers: Record<string, string>
  body: string
}

type SendContext = Pick<Context, 'sql' | 'vault' | 'ids' | 'clock' | 'log'>

/**
 * Makes one attempt of a delivery, and records its outcome and the time of the next attempt. `max` is the maximum
 * number of concurrent deliveries to this receiver. If the process dies during the attempt, the delivery is sent
 * again under the same ID.
 */
export async function sendDelivery(
  context: SendContext,
  begun: BegunTry,
  { post, max }: { post: PostCallback; max: number },
): Promise<void> {
  const { clock, log } = context
  const startedAt = clock.monotonic()
  const request = await makeRequest(context, begun).catch(error => {
    log.error({ delivery: begun.id, error: explainFault(error) }, 'a callback request could not be created')
  })
  const result = request ? await post(request) : { error: 'the request could not be created' }
  await endTry(context, { begun, result, max, tookMs: Math.round(clock.monotonic() - startedAt) })
}

async function makeRequest(context: SendContext, begun: BegunTry): Promise<CallbackRequest> {
  const { id, url } = begun
  const body = begun.body ?? (await makeBody(context, begun))
  const secrets = await readCallbackSecrets(context, begun)
  const signed = { secrets: secrets.map(({ secret }) => secret), nowMs: begun.begunAt.getTime() }
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'rubicon',
    ...signDelivery({ id, body }, signed),
  }
  return { url, headers, body }
}

/**
 * Returns the body of a task's callback: exactly the response to a poll. It is stored, so that every attempt sends the
 * same bytes.
 */
async function makeBody({ sql }: SendContext, { accountId, id, taskId }: BegunTry): Promise<string> {
  const task = await findTask({ sql }, { accountId, id: taskId ?? '' })
  if (!task) throw new Error('the task of the delivery does not exist')
  const body = JSON.stringify(presentTask(task))
  await sql`update deliveries set body = ${body} where account_id = ${accountId} and id = ${id}`
  return body
}

async function endTry(
  { sql }: SendContext,
  options: { begun: BegunTry; result: TryResult; max: number; tookMs: number },
): Promise<void> {
  const { begun, result, max, tookMs } = options
  const { accountId, receiver, id, number } = begun
  const { status = null, error = null, answer = null } = result
  const outcome = outcomeOf(result, begun.step)
  const waitMs = outcome.state === 'pending' ? outcome.waitMs : 0
  await sql`
    select end_try(${accountId}, ${receiver}, ${id}, ${number}, ${tookMs}, ${status}, ${error}, ${answer},
      ${outcome.state}, ${`${waitMs} ms`}::interval, ${max})`
}
