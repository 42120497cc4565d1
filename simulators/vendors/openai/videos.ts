import { z } from 'zod'
import type { Exchange } from '../../server/exchange.ts'
import { sendWhole } from '../../server/send.ts'
import { readShape } from '../../server/shape.ts'
import { filesOf, sendFile } from '../media/files.ts'
import { findGeneration, submitGeneration } from '../media/generate.ts'
import { failedMessage, type Generation, refusedMessage, standingOf } from '../media/generation.ts'
import { parseSize } from '../media/sizes.ts'
import type { Handler, Simulator } from '../simulator.ts'
import type { ChatHost } from './chat.ts'
import { refuse, refuseIssue, refuseModel } from './errors.ts'
import { checkImage, readForm } from './form.ts'
import { traitsOf } from './shape.ts'

const sizes = ['720x1280', '1280x720', '1024x1792', '1792x1024'] as const
const bodyShape = z.strictObject({
  model: z.string().min(1).default('matinee-2'),
  prompt: z.string().min(1).max(32_000),
  seconds: z.enum(['4', '8', '12']).default('4'),
  size: z.enum(sizes).default('720x1280'),
})

/** POST /v1/videos: a form, or JSON without an image. */
export function createVideo(host: ChatHost): Handler {
  return async (simulator, exchange) => {
    const caller = host.authenticate(exchange)
    const { json } = exchange.body
    const { fields, files } =
      json === undefined ? await readForm(exchange) : { fields: json, files: new Map() }
    const { model, prompt, seconds, size } = readShape(bodyShape, fields, refuseIssue)
    for (const image of files.get('input_reference') ?? []) checkImage(image, 'input_reference')
    if (traitsOf(model).isMissing) throw refuseModel(model)
    const { generation, fault } = await submitGeneration(simulator, exchange, {
      caller,
      model,
      prompt,
      product: {
        kind: 'video',
        size: parseSize(size) ?? { width: 720, height: 1280 },
        seconds: Number(seconds),
      },
      refuse: host.refuseFailure,
    })
    const body = JSON.stringify(presentVideo(simulator, generation))
    await sendWhole(exchange, {
      headers: host.presentHeaders(exchange),
      body,
      errorBody: host.errorInAnswer,
      fault,
    })
  }
}

/** GET /v1/videos/{id}. */
export function retrieveVideo(host: ChatHost): Handler {
  return (simulator, exchange) => {
    const body = JSON.stringify(presentVideo(simulator, find(host, simulator, exchange)))
    return sendWhole(exchange, { headers: host.presentHeaders(exchange), body })
  }
}

/** GET /v1/videos/{id}/content. */
export function downloadVideo(host: ChatHost): Handler {
  return (simulator, exchange) => {
    const generation = find(host, simulator, exchange)
    const [name] = filesOf(simulator, generation)
    const isDone = standingOf(generation, simulator.clock.now()).state === 'done'
    if (!isDone || !name)
      throw refuse(404, 'Video is not ready yet, use GET /v1/videos/{video_id} to check status.')
    return sendFile(simulator, exchange, name)
  }
}

/** DELETE /v1/videos/{id}, of one that has ended. */
export function deleteVideo(host: ChatHost): Handler {
  return (simulator, exchange) => {
    const generation = find(host, simulator, exchange)
    const { state } = standingOf(generation, simulator.clock.now())
    if (state === 'queued' || state === 'running') {
      throw refuse(400, 'Cannot delete a video that is still being generated.')
    }
    simulator.generations.delete(generation.id)
    const body = JSON.stringify({ id: nameOf(generation), object: 'video.deleted', deleted: true })
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

function nameOf({ id }: Generation): string {
  return `video_${id}`
}

const states = {
  queued: 'queued',
  running: 'in_progress',
  done: 'completed',
  failed: 'failed',
  cancelled: 'failed',
} as const

function presentVideo({ clock }: Simulator, generation: Generation) {
  const { product, model, prompt, startedAt, endsAt } = generation
  const standing = standingOf(generation, clock.now())
  const { width, height } = product.kind === 'video' ? product.size : { width: 0, height: 0 }
  const isRefused = standing.state === 'failed' && standing.isRefused
  const isOver = standing.state === 'done'
  return {
    id: nameOf(generation),
    object: 'video',
    model,
    prompt,
    status: states[standing.state],
    progress: standing.percent,
    created_at: Math.floor(startedAt / 1000),
    completed_at: isOver ? Math.floor(endsAt / 1000) : null,
    expires_at: isOver ? Math.floor(endsAt / 1000) + 3600 : null,
    seconds: product.kind === 'video' ? String(product.seconds) : '0',
    size: `${width}x${height}`,
    remixed_from_video_id: null,
    error:
      standing.state !== 'failed'
        ? null
        : {
            code: isRefused ? 'moderation_blocked' : 'video_generation_failed',
            message: isRefused ? refusedMessage : failedMessage,
          },
  }
}
