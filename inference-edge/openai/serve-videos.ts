import type { CachedKey } from '../../domain/keys/key-cache.ts'
import { discardResults } from '../../domain/media/discard-files.ts'
import { readParameters } from '../../domain/tasks/read-task.ts'
import { hasEnded, type Task } from '../../domain/tasks/task.ts'
import { Problem } from '../../schema/errors.ts'
import { invalidParam } from '../../schema/refuse-param.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { admitReader, withinPatience } from '../pipeline/admit-reader.ts'
import { RequestShare } from '../pipeline/request-share.ts'
import { whileWaiting } from '../server/shed-load.ts'
import { idIn, listVideos, requireTask, untilCancelled } from '../tasks/read-tasks.ts'
import { presentVideo, type Video } from './present-video.ts'
import { sendResult } from './send-result.ts'

/** `GET /openai/v1/videos/{id}`. Throws `task_not_found`. */
export async function retrieveVideo(edge: Edge, ctx: EdgeContext): Promise<void> {
  const { task } = await findVideo(edge, ctx, ctx.path)
  const [video] = await presentAll(edge, [task])
  ctx.body = video
}

/** `GET /openai/v1/videos`: the account's videos, newest first unless `order` is `asc`. */
export function listOpenaiVideos(edge: Edge, ctx: EdgeContext): Promise<void> {
  return listVideos(edge, ctx, tasks => presentAll(edge, tasks))
}

/**
 * `GET /openai/v1/videos/{id}/content`: the video itself. Throws `task_not_found`, and `invalid_request` for a video that
 * is not completed, or another `variant` than `video`.
 */
export async function downloadVideo(edge: Edge, ctx: EdgeContext): Promise<void> {
  const { key, task } = await findVideo(edge, ctx, ctx.path.replace(/\/content\/?$/, ''))
  const { variant = 'video' } = ctx.query
  if (variant !== 'video') throw invalidParam('variant', 'must be video')
  if (task.status !== 'success') {
    const { status } = presentVideo(task)
    throw new Problem('invalid_request', {
      message: `The video has no content, because its status is ${status}.`,
    })
  }
  using _ = new RequestShare(edge.accounts, key)
  await whileWaiting(edge.load, sendResult(edge, ctx, { task }))
}

/**
 * `DELETE /openai/v1/videos/{id}`: cancels a pending video, and deletes the file of a completed one. Its task stays in
 * the list. Throws `task_not_found`, `task_not_cancellable`.
 */
export async function deleteVideo(edge: Edge, ctx: EdgeContext): Promise<void> {
  const { task } = await findVideo(edge, ctx, ctx.path)
  const { accountId, id, results } = task
  if (!hasEnded(task)) await whileWaiting(edge.load, untilCancelled(edge, ctx, { accountId, id }))
  const urls = (results ?? []).map(({ url }) => url)
  await withinPatience(edge, discardResults(edge.media, { accountId, urls }))
  ctx.body = { id, object: 'video.deleted', deleted: true }
}

async function findVideo(
  edge: Edge,
  ctx: EdgeContext,
  path: string,
): Promise<{ key: CachedKey; task: Task }> {
  const key = await admitReader(edge, ctx)
  const task = await requireTask(edge, { accountId: key.accountId, id: idIn(path) }, ctx.state.patience)
  if (task.kind !== 'video') throw new Problem('task_not_found')
  return { key, task }
}

/** Presents video tasks of one account. */
async function presentAll(edge: Edge, tasks: readonly Task[]): Promise<Video[]> {
  const [first] = tasks
  if (!first) return []
  const ids = tasks.map(({ id }) => id)
  const { accountId } = first
  const parameters = await withinPatience(edge, readParameters(edge.inference.context, { accountId, ids }))
  return tasks.map(task => presentVideo(task, parameters.get(task.id)))
}
