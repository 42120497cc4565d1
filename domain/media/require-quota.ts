import { dayMs } from '../../platform/clock.ts'
import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import { allowanceOf, type Standing } from '../allowances/allowances.ts'
import { allowanceExceeded } from '../allowances/exceeded.ts'
import type { Media } from './media.ts'

/**
 * Checks that an account may store another input of that length, beside its uploads and inputs of the last 24 hours.
 * Locks the account's inputs until the transaction ends. Throws `allowance_exceeded`.
 */
export async function requireQuota(
  { context }: Media,
  transaction: SqlTransaction,
  { standing, bytes }: { standing: Standing; bytes: number },
): Promise<void> {
  const { accountId } = standing
  const now = context.clock.now()
  const since = now - dayMs
  // Ids begin with their time: only the inputs of a day are read.
  const earliest = `media_${since.toString(16).padStart(12, '0')}`
  await transaction`select pg_advisory_xact_lock(hashtextextended(${`inputs ${accountId}`}, 0))`
  const [used] = await transaction<{ files: number; bytes: number; since: Date | null }[]>`
    select count(*)::float8 as files, coalesce(sum(bytes), 0)::float8 as bytes, min(created_at) as since from (
      select bytes, created_at from media_files
      where account_id = ${accountId} and kind = 'upload' and created_at > ${new Date(since)}
      union all
      select bytes, created_at from media_files
      where account_id = ${accountId} and kind = 'input' and id > ${earliest}
    ) inputs`
  const counts = { input_files: (used?.files ?? 0) + 1, input_bytes: (used?.bytes ?? 0) + bytes }
  for (const resource of ['input_files', 'input_bytes'] as const) {
    const limit = allowanceOf(context.allowances, standing, resource)
    if (counts[resource] <= limit) continue
    const freeAt = (used?.since?.getTime() ?? now) + dayMs
    const retryAfterSeconds = Math.max(1, Math.ceil((freeAt - now) / 1000))
    throw allowanceExceeded(resource, { limit, standing, retryAfterSeconds })
  }
}
