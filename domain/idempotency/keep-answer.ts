import type { Context } from '../context.ts'
import type { Claim, KeptAnswer } from './claim-key.ts'

/** What a process works on: nothing is done to a row that another has taken up, or another request of this one. */
export type Claimant = Pick<Claim, 'accountId' | 'key' | 'processId' | 'requestId'>

/** Keeps the answer of a request that ended well, for whoever asks again. */
export async function keepAnswer(
  { sql }: Pick<Context, 'sql'>,
  claimant: Claimant,
  answer: KeptAnswer,
): Promise<void> {
  const { accountId, key, processId, requestId } = claimant
  await sql`
    update idempotency_keys
    set status = ${answer.status}, content_type = ${answer.contentType}, body = ${answer.body}
    where account_id = ${accountId} and key = ${key} and process_id = ${processId} and request_id = ${requestId}`
}

/** Forgets keys older than a day. Resolves to how many. */
export async function forgetOldKeys({ sql }: Pick<Context, 'sql'>): Promise<number> {
  const gone = await sql`delete from idempotency_keys where started_at < now() - interval '24 hours'`
  return gone.count
}
