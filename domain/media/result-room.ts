import { dayMs } from '../../platform/clock.ts'
import type { Media } from './media.ts'

/**
 * The most bytes that a generated file of an account, or one within a request, may have now: of a vendor on the platform's credential
 * RESULT_LIMIT_BYTES; of one on the account's own, which is not paid for here, OWN_RESULT_LIMIT_BYTES, and no more than
 * is left of OWN_RESULTS_DAILY_BYTES. Zero where nothing is left.
 */
export async function resultRoom(
  { context }: Media,
  { accountId, isOwn }: { accountId: string; isOwn: boolean },
): Promise<number> {
  const { resultLimitBytes, ownResultLimitBytes, ownResultsDailyBytes } = context.config
  if (!isOwn) return resultLimitBytes
  // Ids begin with their time: only the rows of a day are read.
  const since = (context.clock.now() - dayMs).toString(16).padStart(12, '0')
  const [row] = await context.sql<{ stored: number }[]>`
    select coalesce(sum(bytes), 0)::float8 as stored from media_files
    where account_id = ${accountId} and id > ${`media_${since}`} and kind <> 'upload'`
  const left = ownResultsDailyBytes - (row?.stored ?? 0)
  return Math.max(0, Math.min(resultLimitBytes, ownResultLimitBytes, left))
}
