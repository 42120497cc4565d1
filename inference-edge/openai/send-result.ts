import { buffer } from 'node:stream/consumers'
import { standingOf } from '../../domain/allowances/standing.ts'
import type { KeepAnswer } from '../../domain/idempotency/run-once.ts'
import { findMedia } from '../../domain/media/find-media.ts'
import { nameIn } from '../../domain/media/media-name.ts'
import type { Task } from '../../domain/tasks/task.ts'
import { sendFile } from '../../platform/http/send-file.ts'
import { Problem } from '../../schema/errors.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { openFile } from '../media/serve-file.ts'
import { keepAnswer, maxKeptBytes } from '../pipeline/keep-answer.ts'
import { sendLongAnswer } from '../pipeline/send-long-answer.ts'

/**
 * Responds with the first file of a task. If the vendor hosts the file, responds with a redirect to it. Throws
 * `media_not_found`, `media_expired`, and `unavailable` if the storage fails.
 */
export async function sendResult(
  edge: Edge,
  ctx: EdgeContext,
  { task, keep }: { task: Task; keep?: KeepAnswer | undefined },
): Promise<void> {
  const [result] = task.results ?? []
  if (!result) throw new Problem('media_not_found')
  const name = nameIn(result.url)
  if (!name) return ctx.redirect(result.url)
  const file = await findMedia(edge.media, name)
  const { contentType } = file
  const byokId = task.byokId ?? undefined
  const standing = await standingOf(edge.inference.context.allowances, task.accountId)
  const keeping = { keep, standing, contentType, byokId }
  const source = await openFile(edge, name, 'whole')
  ctx.status = 200
  ctx.set('content-type', contentType)
  if (file.bytes <= maxKeptBytes(keep, byokId)) {
    const body = await buffer(source)
    const kept = await keepAnswer(edge, { ...keeping, body })
    await sendLongAnswer(edge, ctx, kept ? Buffer.from(kept.body) : body)
    return
  }
  await keepAnswer(edge, { ...keeping, body: undefined }).catch(error => {
    source.destroy()
    throw error
  })
  ctx.length = file.bytes
  ctx.respond = false
  await sendFile(ctx.res, source, { bytes: file.bytes, stalledMs: edge.limits.stalledReaderMs })
}
