import type { Sql, SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { Context } from '../context.ts'
import { announceKeyChanges } from './key-revision.ts'

/** A key whose revision was raised. */
export interface RaisedKey {
  keyId: string
  revision: bigint
}

/** Raises the revision of every key of an account. Pass the result to `announceKeyChanges` after the commit. */
export function raiseKeyRevisions(
  sql: Sql | SqlTransaction,
  { accountId }: { accountId: string },
): Promise<RaisedKey[]> {
  return sql<RaisedKey[]>`select key_id as "keyId", revision from raise_revisions(${accountId})`
}

/**
 * Raises the revision of every key of an account, after a change that affects all of them was committed: a debit, a
 * payment, a confirmed address. When it resolves, no process uses a copy from before the change, or spends amounts that it
 * held before. A change that refuses requests raises the revisions in its own transaction.
 */
export async function raiseRevisions(
  context: Pick<Context, 'sql' | 'config' | 'redis'>,
  { accountId }: { accountId: string },
): Promise<void> {
  await announceKeyChanges(context, { accountId, keys: await raiseKeyRevisions(context.sql, { accountId }) })
}
