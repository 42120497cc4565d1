import type { Context } from '../context.ts'
import type { Claim, KeptAnswer } from './claim-key.ts'

type Claimant = Pick<Claim, 'accountId' | 'key' | 'processId'>

/** Keeps the answer of a request that ended well, for whoever asks again. */
export async function keepAnswer(
  { sql }: Pick<Context, 'sql'>,
  { accountId, key, processId }: Claimant,
  answer: KeptAnswer,
): Promise<void> {
  await sql`
    update idempotency_keys
    set status = ${answer.status}, content_type = ${answer.contentType}, body = ${answer.body}
    where account_id = ${accountId} and key = ${key} and process_id = ${processId}`
}

/** Gives a key up: the request failed and cost nothing, so that the next try runs anew. */
export async function giveUpKey(
  { sql }: Pick<Context, 'sql'>,
  { accountId, key, processId }: Claimant,
): Promise<void> {
  await sql`
    delete from idempotency_keys
    where account_id = ${accountId} and key = ${key} and process_id = ${processId} and status is null`
}

/** Forgets keys older than a day. Resolves to how many. */
export async function forgetOldKeys({ sql }: Pick<Context, 'sql'>): Promise<number> {
  const gone = await sql`delete from idempotency_keys where started_at < now() - interval '24 hours'`
  return gone.count
}
