import type { Context } from '../context.ts'
import { announceKeyChanges } from './key-revision.ts'

/**
 * Raises the revision of every key of an account, after a change that affects all of them was committed: a debit, a
 * payment, a suspension, a confirmed address, an allowance. When it resolves, no process uses a copy from before the
 * change, or spends amounts that it held before.
 */
export async function raiseRevisions(
  context: Pick<Context, 'sql' | 'config' | 'redis'>,
  { accountId }: { accountId: string },
): Promise<void> {
  const keys = await context.sql<{ keyId: string; revision: bigint }[]>`
    update api_keys set revision = revision + 1
    where account_id = ${accountId} and id in (
      select id from api_keys where account_id = ${accountId} and revoked_at is null order by id for no key update)
    returning id as "keyId", revision`
  await announceKeyChanges(context, { accountId, keys })
}
