import { ApiKeyEntity } from '../../schema/entities/api-keys.ts'
import type { ManagementContext } from '../management-context.ts'
import { withBudgets } from './find-keys.ts'
import type { KeyRecord } from './key-record.ts'

/** The keys of an account that are not revoked, newest first: at most `limit` of them, older than `after`. */
export async function listKeys(
  context: Pick<ManagementContext, 'em'>,
  {
    accountId,
    limit,
    after,
  }: { accountId: string; limit: number; after?: { createdAt: Date; id: string } | undefined },
): Promise<KeyRecord[]> {
  const older = after && {
    $or: [{ createdAt: { $lt: after.createdAt } }, { createdAt: after.createdAt, id: { $lt: after.id } }],
  }
  const keys = await context.em.find(
    ApiKeyEntity,
    { accountId, revokedAt: null, ...older },
    { orderBy: { createdAt: 'desc', id: 'desc' }, limit },
  )
  return withBudgets(context, { accountId, keys })
}

/** How many keys of an account are not revoked. */
export async function countKeys(
  { em }: Pick<ManagementContext, 'em'>,
  { accountId }: { accountId: string },
): Promise<number> {
  return em.count(ApiKeyEntity, { accountId, revokedAt: null })
}
