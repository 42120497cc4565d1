import { asUnavailable, type Media } from './media.ts'
import { nameIn } from './media-name.ts'
import { discardMedia } from './store-media.ts'

/**
 * Deletes the stored results of a task. Their rows stay until they expire. Throws `unavailable` if Postgres or the storage fails.
 */
export async function discardResults(
  { context, storage }: Media,
  { accountId, urls }: { accountId: string; urls: readonly string[] },
): Promise<void> {
  const names = urls.flatMap(url => nameIn(url) ?? [])
  try {
    const rows = await context.sql<{ name: string }[]>`
      update media_files set removed_at = coalesce(removed_at, now())
      where account_id = ${accountId} and name = any(${names}::text[]) and kind = 'result'
      returning name`
    await Promise.all(rows.map(({ name }) => storage?.remove(name)))
  } catch (error) {
    throw asUnavailable(error)
  }
}

/**
 * Deletes the inputs that a request sent as `data:`, if the request failed without a charge or its task was refused.
 * `finish_task` expires the inputs of a task that fails later. `since` is when the request arrived, in milliseconds
 * since 1970. Never throws: files that could not be deleted expire.
 */
export async function discardInputs(
  media: Media,
  request: { accountId: string; taskId?: string; requestId?: string; since: number },
): Promise<void> {
  const { accountId, taskId = null, requestId = null, since } = request
  // IDs begin with their time, so only rows since then are read.
  const earliest = `media_${since.toString(16).padStart(12, '0')}`
  try {
    const rows = await media.context.sql<{ id: string; name: string }[]>`
      select id, name from media_files
      where account_id = ${accountId} and id >= ${earliest} and kind = 'input'
        and (task_id = ${taskId} or request_id = ${requestId})`
    await Promise.all(rows.map(row => discardMedia(media, { accountId, ...row })))
  } catch (error) {
    media.context.log.warn({ err: error, taskId, requestId }, 'inputs of a failed request are left to expire')
  }
}
