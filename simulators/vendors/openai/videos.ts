import { readShape } from '../../server/shape.ts'
import { answerWithFile, filesOf } from '../media/files.ts'
import {
  type Answering,
  failedMessage,
  type Generation,
  refusedMessage,
  statusOf,
  submitting,
  withGeneration,
} from '../media/generation.ts'
import { parseSize } from '../media/sizes.ts'
import type { Simulator } from '../simulator.ts'
import { openaiHost, refuse, refuseMismatch, refuseParam } from './host.ts'
import { isImage, readForm } from './media.ts'
import { videoShape } from './shape.ts'

const vendor = { ...openaiHost, refuseMissing: () => refuse(404, 'Video not found.') }
const onVideo = (handle: Answering) =>
  withGeneration(vendor, handle, ({ params }) => (params.id ?? '').replace(/^video_/, ''))

/** Handles `POST /v1/videos`: a form, or JSON if it has no image. */
export const createVideo = submitting(
  vendor,
  async exchange => {
    const { json } = exchange
    const form = json === undefined ? await readForm(exchange, 'input_reference') : undefined
    const { model, prompt, seconds, size } = readShape(videoShape, form?.fields ?? json, refuseMismatch)
    if (form?.files.every(isImage) === false)
      throw refuseParam('The image must be PNG, JPEG or WebP.', 'input_reference')
    const measured = parseSize(size) ?? { width: 720, height: 1280 }
    return { model, prompt, product: { kind: 'video', size: measured, seconds: Number(seconds) } }
  },
  presentVideo,
)

/** Handles `GET /v1/videos/{id}`. */
export const getVideo = onVideo((generation, simulator) => ({ body: presentVideo(generation, simulator) }))

/** Handles `GET /v1/videos/{id}/content`. */
export const downloadVideo = onVideo((generation, simulator, exchange) => {
  const [name] = filesOf(generation)
  if (statusOf(generation, simulator).state !== 'done' || !name)
    throw refuse(404, 'Video is not ready yet, use GET /v1/videos/{video_id} to check status.')
  return answerWithFile(simulator, exchange, name)
})

const states = {
  ...({ queued: 'queued', running: 'in_progress', done: 'completed' } as const),
  ...({ failed: 'failed', cancelled: 'failed' } as const),
}

function presentVideo(generation: Generation, simulator: Simulator) {
  const { id, product, model, prompt, startedAt, endsAt } = generation
  const { state, percent, isRefused } = statusOf(generation, simulator)
  const endedAtSeconds = state === 'done' ? Math.floor(endsAt / 1000) : null
  const error = isRefused
    ? { code: 'moderation_blocked', message: refusedMessage }
    : { code: 'video_generation_failed', message: failedMessage }
  return {
    ...{ id: `video_${id}`, object: 'video', model, prompt, status: states[state], progress: percent },
    created_at: Math.floor(startedAt / 1000),
    completed_at: endedAtSeconds,
    expires_at: endedAtSeconds && endedAtSeconds + 3600,
    seconds: product.kind === 'video' ? String(product.seconds) : '0',
    size: product.kind === 'video' ? `${product.size.width}x${product.size.height}` : '0x0',
    remixed_from_video_id: null,
    error: state === 'failed' ? error : null,
  }
}
