import type { Media } from './media.ts'
import { discardMedia } from './store-media.ts'

/**
 * Deletes what a request carried for a task that was not submitted: nobody pays for its storing. `since` is when the
 * request arrived, in milliseconds since 1970. Rejects where Postgres does not answer: it expires then.
 */
export async function discardInputs(
  media: Media,
  { accountId, taskId, since }: { accountId: string; taskId: string; since: number },
): Promise<void> {
  // Ids begin with their time: only rows since then are read.
  const earliest = `media_${since.toString(16).padStart(12, '0')}`
  const rows = await media.context.sql<{ id: string; name: string }[]>`
    select id, name from media_files
    where account_id = ${accountId} and id >= ${earliest} and task_id = ${taskId} and kind = 'input'`
  await Promise.all(rows.map(row => discardMedia(media, { accountId, ...row })))
}
