import { dayMs } from '../../platform/clock.ts'
import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import { Problem } from '../../schema/errors.ts'
import type { Media } from './media.ts'

/**
 * Whether an account may upload so many bytes now, beside what it has uploaded within 24 hours. Locks the account's
 * uploads until the transaction ends. Throws `upload_quota_exceeded`.
 */
export async function requireQuota(
  { context }: Media,
  transaction: SqlTransaction,
  { accountId, bytes }: { accountId: string; bytes: number },
): Promise<void> {
  const { uploadDailyBytes, uploadDailyFiles } = context.config
  const now = context.clock.now()
  await transaction`select pg_advisory_xact_lock(hashtextextended(${`uploads ${accountId}`}, 0))`
  const [used] = await transaction<{ files: number; bytes: number; since: Date | null }[]>`
    select count(*)::float8 as files, coalesce(sum(bytes), 0)::float8 as bytes, min(created_at) as since
    from media_files
    where account_id = ${accountId} and kind = 'upload' and created_at > ${new Date(now - dayMs)}`
  if (!used || (used.files < uploadDailyFiles && used.bytes + bytes <= uploadDailyBytes)) return
  const freeAt = (used.since?.getTime() ?? now) + dayMs
  throw new Problem('upload_quota_exceeded', {
    retryAfterSeconds: Math.max(1, Math.ceil((freeAt - now) / 1000)),
    message: `The account may upload ${uploadDailyFiles} files and ${uploadDailyBytes} bytes in 24 hours, and has no room for this one.`,
  })
}
