import { recordLeaving } from '../../domain/ledger/request-record.ts'
import { hole, SplicedJson } from '../../platform/json/spliced-json.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { keepAnswer, keepingOf } from '../pipeline/keep-answer.ts'
import { sendLongAnswer } from '../pipeline/send-long-answer.ts'
import { whileWaiting } from '../server/shed-load.ts'
import { deliverImages, type ImageData } from './deliver-images.ts'
import { endFailed, type ImageRun, settleImages } from './image-run.ts'
import type { MadeImages } from './make-images.ts'

const contentType = 'application/json; charset=utf-8'

/**
 * Answers with the images once they are stored and charged. A client that leaves while they are made pays for them all
 * the same. Throws the failure, released, for a real HTTP status.
 */
export async function answerImages(
  edge: Edge,
  ctx: EdgeContext,
  run: ImageRun,
  making: Promise<MadeImages>,
): Promise<void> {
  const { record, client } = run
  try {
    const made = await making
    record.vendor = made.target.vendor
    record.byokId = made.target.byokId ?? null
    record.firstByteMs = edge.inference.context.clock.monotonic() - record.begunAt
    const data = client.hasLeft ? [] : await whileWaiting(edge.load, deliverImages(edge, run, made))
    if (client.hasLeft) recordLeaving(record)
    await settleImages(edge, run, data.length || made.files.length)
    const created = Math.floor(edge.inference.context.clock.now() / 1000)
    let body = await print(created, data)
    const standing = await keepAnswer(edge, keepingOf(run), { contentType, body, byokId: made.target.byokId })
    if (standing) {
      ctx.set('idempotent-replayed', 'true')
      body = Buffer.from(standing.body)
    }
    ctx.status = 200
    ctx.set('x-model', run.request.model.entry.model)
    ctx.set('content-type', contentType)
    await sendLongAnswer(edge, ctx, body)
  } catch (error) {
    const problem = await endFailed(edge, run, error)
    if (problem) throw error
    ctx.respond = false
  }
}

function print(created: number, images: ImageData[]): Promise<Buffer> {
  const data = images.map(image => (image.b64_json ? { ...image, b64_json: hole } : image))
  return new SplicedJson(
    { created, data },
    images.flatMap(({ b64_json }) => b64_json ?? []),
  ).print()
}
