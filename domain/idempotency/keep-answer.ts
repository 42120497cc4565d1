import type { Context } from '../context.ts'
import type { Claim, KeptAnswer } from './claim-key.ts'

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
