import type { ManagementContext } from '../management-context.ts'
import { rateName } from '../rates/check-rate.ts'
import { changeKey } from './change-key.ts'

/**
 * Revokes a key for ever: when it returns, no process starts an upstream call with it. Its rate-limit state is
 * cleared (contract: DELETE /api/v1/api-keys/{id}). Throws `key_not_found`.
 */
export async function revokeKey(
  context: ManagementContext,
  { accountId, keyId }: { accountId: string; keyId: string },
): Promise<void> {
  await changeKey(context, { accountId, keyId }, key => {
    key.revokedAt = new Date(context.clock.now())
  })
  const rates = rateName(context.config.redisPrefix, accountId, keyId)
  await context.redis.del(rates).catch(() => {}) // it lapses by itself; nobody counts on it any more
}
