import { earlierNow } from '../../platform/postgres/earlier-now.ts'
import type { Media } from './media.ts'
import { folderOf } from './media-name.ts'

/** Maximum number of rows that are claimed at once, and of objects that are deleted at once. */
const batchSize = 500
const deletesAtOnce = 16

/** Time after which an incomplete file counts as abandoned, because its writer is dead. */
const storing = '6 hours'

/** Number of days that a bucket keeps files beyond the expiry in their rows. */
const graceDays = 1

/**
 * Deletes files that expired or were never stored completely: marks the rows so that the files are no longer used,
 * then deletes the objects, then the rows. A later call completes the work of a dead process. Calls may run
 * concurrently. Resolves to the number of deleted files. Throws if the storage fails.
 */
export async function removeMedia(media: Media): Promise<number> {
  if (!media.storage) return 0
  const { sql } = media.context
  let count = 0
  for (;;) {
    const now = earlierNow(media.context)
    const rows = await sql<{ accountId: string; id: string; name: string }[]>`
      update media_files f set removed_at = coalesce(removed_at, ${now})
      from (
        select account_id, id from media_files
        where expires_at <= ${now} or stored_at is null and created_at < ${now} - ${storing}::interval
        limit ${batchSize} for update skip locked
      ) old
      where f.account_id = old.account_id and f.id = old.id
      returning f.account_id as "accountId", f.id, f.name`
    await deleteAll(media, rows)
    count += rows.length
    if (rows.length < batchSize) return count
  }
}

/**
 * Sets lifecycle rules with which the bucket deletes results and inputs, a day after they are no longer served. Uploads
 * have no rule, because use extends their lifetime. Resolves to whether the rules are set.
 */
export async function keepBucketRules(media: Media): Promise<boolean> {
  const days = media.context.config.mediaDays + graceDays
  return (await media.storage?.expireAfter(days, [folderOf('result'), folderOf('input')])) ?? false
}

async function deleteAll(
  { context, storage }: Media,
  rows: readonly { accountId: string; id: string; name: string }[],
): Promise<void> {
  for (let from = 0; from < rows.length; from += deletesAtOnce) {
    const some = rows.slice(from, from + deletesAtOnce)
    await Promise.all(some.map(({ name }) => storage?.remove(name)))
    const [accountIds, ids] = [some.map(row => row.accountId), some.map(row => row.id)]
    await context.sql`
      delete from media_files f using unnest(${accountIds}::uuid[], ${ids}::text[]) as gone (account_id, id)
      where f.account_id = gone.account_id and f.id = gone.id`
  }
}
