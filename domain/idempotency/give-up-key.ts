import type { Context } from '../context.ts'
import type { Claimant } from './keep-answer.ts'

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
