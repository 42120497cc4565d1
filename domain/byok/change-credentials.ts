import { announceKeyChanges } from '../keys/key-revision.ts'
import type { ManagementContext } from '../management-context.ts'

/**
 * Changes credentials of an account in one transaction, and spreads the change before it returns: the account's
 * credentials get a new revision, which each of its keys carries, so the keys do too. Afterwards the next inference
 * call of every process knows the credentials as they are now.
 */
export async function changeCredentials<Result>(
  context: ManagementContext,
  { accountId }: { accountId: string },
  change: (em: ManagementContext['em']) => Promise<Result>,
): Promise<Result> {
  const { result, keys } = await context.em.transactional(async em => {
    await lockAccount(em, accountId)
    const result = await change(em)
    await em.flush()
    return { result, keys: await raiseRevisions(em, accountId) }
  })
  await announceKeyChanges(context, { accountId, keys })
  return result
}

/** One change at a time. A key that is being created waits as well, or is seen: none keeps the old revision. */
async function lockAccount(em: ManagementContext['em'], accountId: string): Promise<void> {
  await em.execute('select 1 from accounts where id = ? for update', [accountId])
}

async function raiseRevisions(
  em: ManagementContext['em'],
  accountId: string,
): Promise<{ keyId: string; revision: bigint }[]> {
  await em.execute('update accounts set byok_revision = byok_revision + 1 where id = ?', [accountId], 'run')
  const rows = await em.execute<{ id: string; revision: string }[]>(
    'update api_keys set revision = revision + 1 where account_id = ? and revoked_at is null returning id, revision',
    [accountId],
  )
  return rows.map(({ id, revision }) => ({ keyId: id, revision: BigInt(revision) }))
}
