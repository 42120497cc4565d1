import { setTimeout as sleep } from 'node:timers/promises'
import { isTransient } from '../../platform/postgres/transient-errors.ts'
import { withTimeout } from '../../platform/with-timeout.ts'
import type { Context } from '../context.ts'
import type { Claim, KeptAnswer } from './claim-key.ts'

/** A request waits at most so long for its claim to end, in milliseconds. */
const patienceMs = 5_000

/** It is tried again after so long, then up to so long. */
const firstRestMs = 50
const longestRestMs = 5_000

/** By then keys are forgotten. */
const dayMs = 86_400_000

/**
 * Ends a claim: keeps its answer, or gives the key up where there is none. Resolves after the first try, to the answer
 * that stands under the key, as far as that is known; one that
 * failed is followed by others in the background, until one succeeds or the key is a day old: others wait for it as
 * long as this process lives. An answer that Postgres refuses for good is given up. Never throws.
 */
export async function endClaim<Answer extends KeptAnswer | undefined>(
  context: Context,
  claim: Claimant,
  answer: Answer,
): Promise<Answer | KeptAnswer> {
  const end = async () =>
    answer ? keepOrGiveUp(context, claim, answer) : void (await giveUpKey(context, claim))
  try {
    return (await withTimeout(patienceMs, end())) ?? answer
  } catch (error) {
    context.log.warn({ err: error, requestId: claim.requestId }, 'a claim on a key ends later')
    void endLater(context, claim, end)
    return answer
  }
}

async function keepOrGiveUp(context: Context, claim: Claimant, answer: KeptAnswer): Promise<KeptAnswer> {
  try {
    return await keepAnswer(context, claim, answer)
  } catch (error) {
    if (isTransient(error)) throw error
    context.log.error({ err: error, requestId: claim.requestId }, 'an answer cannot be kept')
    await giveUpKey(context, claim)
    return answer
  }
}

async function endLater(context: Context, claim: Claimant, end: () => Promise<unknown>): Promise<void> {
  const until = context.clock.monotonic() + dayMs
  for (
    let restMs = firstRestMs;
    context.clock.monotonic() < until;
    restMs = Math.min(restMs * 2, longestRestMs)
  ) {
    await sleep(restMs * (0.5 + Math.random() / 2), undefined, { ref: false })
    const isOver = await end().then(
      () => true,
      error => {
        context.log.debug({ err: error, requestId: claim.requestId }, 'a claim on a key ends later still')
        return isClosed(error)
      },
    )
    if (isOver) return
  }
}

/** This process has closed its connections: it is ending, and its claims with it. */
function isClosed(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'CONNECTION_ENDED'
}

/** What a process works on. */
export type Claimant = Pick<Claim, 'accountId' | 'key' | 'processId' | 'requestId'>

/**
 * Keeps the answer of a request that ended well, for whoever asks again; resolves to the one that stands. That is
 * another's where the request was taken up by a process that was faster: whoever waits for either has the same.
 */
export async function keepAnswer(
  { sql }: Pick<Context, 'sql'>,
  { accountId, key, requestId }: Claimant,
  answer: KeptAnswer,
): Promise<KeptAnswer> {
  const kept = await sql`
    update idempotency_keys
    set status = ${answer.status}, content_type = ${answer.contentType}, body = ${answer.body}
    where account_id = ${accountId} and key = ${key} and request_id = ${requestId} and status is null`
  if (kept.count > 0) return answer
  const [standing] = await sql<KeptAnswer[]>`
    select status, content_type as "contentType", body from idempotency_keys
    where account_id = ${accountId} and key = ${key} and request_id = ${requestId}`
  return standing ?? answer
}

/** Forgets keys older than a day. Resolves to how many. */
export async function forgetOldKeys({ sql }: Pick<Context, 'sql'>): Promise<number> {
  const gone = await sql`delete from idempotency_keys where started_at < now() - interval '24 hours'`
  return gone.count
}

/** No process has this id: a row of its is nobody's. */
const nobody = '00000000-0000-0000-0000-000000000000'

/**
 * Gives a key up, so that the next try runs at once. The row of a request that cost nothing goes; one that was
 * charged stays and keeps its id, under which the next try is not charged again.
 */
export async function giveUpKey({ sql }: Pick<Context, 'sql'>, claimant: Claimant): Promise<void> {
  const { accountId, key, processId, requestId } = claimant
  await sql`
    delete from idempotency_keys k
    where account_id = ${accountId} and key = ${key} and process_id = ${processId} and request_id = ${requestId}
      and status is null and not exists (
        select 1 from request_logs l
        where l.account_id = k.account_id and l.created_at = k.started_at and l.id = k.request_id and l.cost_nanos > 0)`
  await sql`
    update idempotency_keys set process_id = ${nobody}
    where account_id = ${accountId} and key = ${key} and process_id = ${processId} and request_id = ${requestId}
      and status is null`
}
