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
    select key_id as "keyId", revision from raise_revisions(${accountId})`
  await announceKeyChanges(context, { accountId, keys })
}
