import { ApiKeyEntity } from '../../../schema/entities/api-keys.ts'
import type { ManagementContext } from '../../management-context.ts'
import { withBudgets } from './find-keys.ts'
import type { KeyRecord } from './key-record.ts'

/** Where a key stands in the list: its creation in microseconds since 1970, then its id. */
export interface KeyPosition {
  createdMicros: bigint
  id: string
}

/** The keys of an account that are not revoked, newest first: all, or at most `limit` of them, older than `after`. */
export async function listKeys(
  context: Pick<ManagementContext, 'em'>,
  { accountId, limit, after }: { accountId: string; limit?: number; after?: KeyPosition | undefined },
): Promise<KeyRecord[]> {
  const older = after && olderThan(after)
  const keys = await context.em.find(
    ApiKeyEntity,
    { accountId, revokedAt: null, ...older },
    { orderBy: { createdAt: 'desc', id: 'desc' }, ...(limit !== undefined && { limit }) },
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

/** Keys are created at whole milliseconds, so a position's microseconds name one exactly. */
function olderThan({ createdMicros, id }: KeyPosition) {
  const createdAt = new Date(Number(createdMicros / 1000n))
  return { $or: [{ createdAt: { $lt: createdAt } }, { createdAt, id: { $lt: id } }] }
}
