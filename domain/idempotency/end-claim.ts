import { setTimeout as sleep } from 'node:timers/promises'
import { dayMs, withTimeout } from '../../platform/clock.ts'
import { earlierNow } from '../../platform/postgres/earlier-now.ts'
import { isTransient } from '../../platform/postgres/transient-errors.ts'
import type { Context } from '../context.ts'
import type { Claim, KeptAnswer } from './claim-key.ts'

/** Maximum time for which a request waits until its claim has ended, in milliseconds. */
const timeoutMs = 5_000

/** Minimum and maximum delay before another attempt to end a claim, in milliseconds. */
const minPauseMs = 50
const maxPauseMs = 5_000

/**
 * Ends a claim: stores its response, or releases the key if there is none. Resolves after the first attempt to the
 * response that is stored under the key, if it is known. After a failure, further attempts follow in the background
 * until one succeeds or the key is a day old. Other requests with the key in this process wait for that. If Postgres
 * refuses to store the response, the key is released. Never throws.
 */
export async function endClaim<Answer extends KeptAnswer | undefined>(
  context: Context,
  claim: OwnClaim,
  answer: Answer,
): Promise<Answer | KeptAnswer> {
  const end = async () =>
    answer ? keepOrGiveUp(context, claim, answer) : void (await giveUpKey(context, claim))
  try {
    return (await withTimeout(timeoutMs, end())) ?? answer
  } catch (error) {
    context.log.warn(
      { err: error, requestId: claim.requestId },
      'an idempotency claim could not be ended; retrying',
    )
    void endLater(context, claim, end)
    return answer
  }
}

async function keepOrGiveUp(context: Context, claim: OwnClaim, answer: KeptAnswer): Promise<KeptAnswer> {
  try {
    return await keepAnswer(context, claim, answer)
  } catch (error) {
    if (isTransient(error)) throw error
    context.log.error({ err: error, requestId: claim.requestId }, 'an answer cannot be stored')
    await giveUpKey(context, claim)
    return answer
  }
}

async function endLater(context: Context, claim: OwnClaim, end: () => Promise<unknown>): Promise<void> {
  const until = context.clock.monotonic() + dayMs
  for (
    let pauseMs = minPauseMs;
    context.clock.monotonic() < until;
    pauseMs = Math.min(pauseMs * 2, maxPauseMs)
  ) {
    await sleep(pauseMs * (0.5 + Math.random() / 2), undefined, { ref: false })
    const isOver = await end().then(
      () => true,
      error => {
        context.log.debug(
          { err: error, requestId: claim.requestId },
          'an idempotency claim could still not be ended',
        )
        return isClosed(error)
      },
    )
    if (isOver) return
  }
}

/** Whether the error means that this process has closed its connections to shut down. */
function isClosed(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'CONNECTION_ENDED'
}

/** The condition on the row of this process's claim. Another process may have taken the key over since. */
export type OwnClaim = Pick<Claim, 'accountId' | 'key' | 'processId' | 'requestId'>

/**
 * Stores the response of a request that succeeded. Resolves to the stored response, which is another process's if that
 * process has taken the request over and was faster. So all repeats get the same response.
 */
async function keepAnswer(
  { sql }: Pick<Context, 'sql'>,
  { accountId, key, requestId }: OwnClaim,
  answer: KeptAnswer,
): Promise<KeptAnswer> {
  const kept = await sql`
    update idempotency_keys
    set status = ${answer.status}, content_type = ${answer.contentType}, body = ${answer.body}
    where account_id = ${accountId} and key = ${key} and request_id = ${requestId} and status is null`
  if (kept.count > 0) return answer
  const [stored] = await sql<KeptAnswer[]>`
    select status, content_type as "contentType", body from idempotency_keys
    where account_id = ${accountId} and key = ${key} and request_id = ${requestId}`
  return stored ?? answer
}

/** Deletes keys that are older than a day. Returns their number. */
export async function forgetOldKeys(context: Pick<Context, 'sql' | 'clock'>): Promise<number> {
  const gone = await context.sql`
    delete from idempotency_keys where started_at < ${earlierNow(context)} - interval '24 hours'`
  return gone.count
}

/** A process ID that no process has. */
const noProcess = '00000000-0000-0000-0000-000000000000'

/**
 * Releases a key, so that the next request with it runs at once. The row of a request that cost nothing is deleted. If
 * the request was charged, or submitted a task although its response failed, its row and ID remain. The next request
 * with the key then uses this ID: it is not charged again, and it returns the same task.
 */
async function giveUpKey({ sql }: Pick<Context, 'sql'>, claim: OwnClaim): Promise<void> {
  const { accountId, key, processId, requestId } = claim
  await sql`
    delete from idempotency_keys k
    where account_id = ${accountId} and key = ${key} and process_id = ${processId} and request_id = ${requestId}
      and status is null
      and coalesce((logged_before(k.account_id, k.started_at, k.request_id)).cost_nanos, 0) = 0
      and not exists (
        select 1 from tasks t where t.account_id = k.account_id and t.id = replace(k.request_id, 'req_', 'task_'))`
  await sql`
    update idempotency_keys set process_id = ${noProcess}
    where account_id = ${accountId} and key = ${key} and process_id = ${processId} and request_id = ${requestId}
      and status is null`
}
