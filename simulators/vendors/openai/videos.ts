import type { Exchange } from '../../server/exchange.ts'
import { sendWhole } from '../../server/send.ts'
import { readShape } from '../../server/shape.ts'
import { filesOf, sendFile } from '../media/files.ts'
import {
  failedMessage,
  findGeneration,
  type Generation,
  refusedMessage,
  statusOf,
  submitGeneration,
} from '../media/generation.ts'
import { parseSize } from '../media/sizes.ts'
import type { Handler, Simulator } from '../simulator.ts'
import type { ChatHost } from './chat.ts'
import { refuse, refuseMismatch, refuseModel } from './errors.ts'
import { checkImage, readForm } from './media.ts'
import { traitsOf, videoShape } from './shape.ts'

/** Handles `POST /v1/videos`: a form, or JSON if it has no image. */
export function createVideo(host: ChatHost): Handler {
  return async (simulator, exchange) => {
    const caller = host.authenticate(exchange)
    const { json } = exchange.body
    const form = json === undefined ? await readForm(exchange) : undefined
    const { model, prompt, seconds, size } = readShape(videoShape, form?.fields ?? json, refuseMismatch)
    for (const image of form?.files.get('input_reference') ?? []) checkImage(image, 'input_reference')
    if (traitsOf(model).isMissing) throw refuseModel(model)
    const measured = parseSize(size) ?? { width: 720, height: 1280 }
    const { generation, fault } = await submitGeneration(simulator, exchange, {
      ...{ caller, model, prompt, refuse: host.refuseFailure },
      product: { kind: 'video', size: measured, seconds: Number(seconds) },
    })
    const headers = host.presentHeaders(exchange)
    const body = presentVideo(simulator, generation)
    await sendWhole(exchange, { headers, body, errorBody: host.errorInAnswer, fault })
  }
}

/** Handles `GET /v1/videos/{id}`. */
export function getVideo(host: ChatHost): Handler {
  return (simulator, exchange) => {
    const body = presentVideo(simulator, find(host, simulator, exchange))
    return sendWhole(exchange, { headers: host.presentHeaders(exchange), body })
  }
}

/** Handles `GET /v1/videos/{id}/content`. */
export function downloadVideo(host: ChatHost): Handler {
  return (simulator, exchange) => {
    const generation = find(host, simulator, exchange)
    const [name] = filesOf(simulator, generation)
    if (statusOf(generation, simulator.clock.now()).state !== 'done' || !name)
      throw refuse(404, 'Video is not ready yet, use GET /v1/videos/{video_id} to check status.')
    return sendFile(simulator, exchange, name)
  }
}

/** Handles `DELETE /v1/videos/{id}`. The generation must have ended. */
export function deleteVideo(host: ChatHost): Handler {
  return (simulator, exchange) => {
    const generation = find(host, simulator, exchange)
    const { state } = statusOf(generation, simulator.clock.now())
    if (state === 'queued' || state === 'running')
      throw refuse(400, 'Cannot delete a video that is still being generated.')
    simulator.generations.delete(generation.id)
    const body = { id: `video_${generation.id}`, object: 'video.deleted', deleted: true }
    return sendWhole(exchange, { headers: host.presentHeaders(exchange), body })
  }
}

function find(host: ChatHost, simulator: Simulator, exchange: Exchange): Generation {
  host.authenticate(exchange)
  const name = exchange.params.id ?? ''
  return findGeneration(simulator, name.replace(/^video_/, ''), {
    refuseMissing: () => refuse(404, `Video with id '${name}' not found.`),
    refuse: host.refuseFailure,
  })
}

const states = {
  ...({ queued: 'queued', running: 'in_progress', done: 'completed' } as const),
  ...({ failed: 'failed', cancelled: 'failed' } as const),
}

function presentVideo({ clock }: Simulator, generation: Generation) {
  const { id, product, model, prompt, startedAt, endsAt } = generation
  const status = statusOf(generation, clock.now())
  const isDone = status.state === 'done'
  const endedAtSeconds = Math.floor(endsAt / 1000)
  return {
    id: `video_${id}`,
    object: 'video',
    model,
    prompt,
    status: states[status.state],
    progress: status.percent,
    created_at: Math.floor(startedAt / 1000),
    completed_at: isDone ? endedAtSeconds : null,
    expires_at: isDone ? endedAtSeconds + 3600 : null,
    seconds: product.kind === 'video' ? String(product.seconds) : '0',
    size: product.kind === 'video' ? `${product.size.width}x${product.size.height}` : '0x0',
    remixed_from_video_id: null,
    error: status.state === 'failed' ? errorOf(status) : null,
  }
}

function errorOf({ isRefused }: { isRefused: boolean }) {
  return isRefused
    ? { code: 'moderation_blocked', message: refusedMessage }
    : { code: 'video_generation_failed', message: failedMessage }
}
