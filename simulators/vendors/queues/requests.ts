import { z } from 'zod'
import { type Exchange, Refusal } from '../../server/exchange.ts'
import { type Mismatch, readShape } from '../../server/shape.ts'
import type { Failure } from '../faults.ts'
import { bearerHost } from '../host.ts'
import { filesOf, urlOf } from '../media/files.ts'
import {
  cancelGeneration,
  failedMessage,
  type Generation,
  refusedMessage,
  statusOf,
  submitting,
  withGeneration,
} from '../media/generation.ts'
import type { VendorApi } from '../simulator.ts'
import { productOf } from './product.ts'

function refuse(status: number, detail: unknown, headers = {}): Refusal {
  return new Refusal({ status, headers, body: { detail } })
}

function refuseFailure({ kind, status, model, retryAfterMs }: Failure): Refusal {
  if (kind === 'key' || status === 401) return refuse(401, 'Invalid Key')
  if (kind === 'quota') return refuse(403, 'User is locked. Reason: Exhausted balance.')
  const headers = status === 429 ? { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) } : {}
  return refuse(status, `The request to ${model} failed with status ${status}.`, headers)
}

const vendor = { ...bearerHost(refuseFailure, 'Key'), refuseMissing: () => refuse(404, 'Request not found') }

const text = z.string().nullish()
const boolean = z.boolean().nullish()
const source = z.string().regex(/^(https?:\/\/|data:(image|video)\/)/, 'value is not a valid URL')
const inputShape = z.strictObject({
  prompt: z.string().min(1),
  ...{ negative_prompt: text, aspect_ratio: text, resolution: text, size: text },
  num_images: z.int().min(1).max(10).nullish(),
  seed: z.int().min(0).nullish(),
  duration: z.union([z.string(), z.int()]).nullish(),
  duration_seconds: z.int().min(1).max(600).nullish(),
  image_url: source.nullish(),
  image_urls: z.array(source).max(14).nullish(),
  video_urls: z.array(source).max(3).nullish(),
  shot_type: z.enum(['single', 'multi']).nullish(),
  ...{ audio: boolean, watermark: boolean, instrumental: boolean, loop: boolean },
})

/** FastAPI's error for a body that does not match its shape: `{"detail": [{loc, msg, type}]}`. */
function refuseMismatch({ path, message: msg }: Mismatch): Refusal {
  return refuse(422, [{ loc: ['body', ...path], msg, type: 'value_error' }])
}

/** Handles a submit, whose body is the model's input. */
const submit = submitting(
  vendor,
  ({ params, json, request }) => {
    const { model = '' } = params
    const input = readShape(inputShape, json, refuseMismatch)
    const duration = input.duration_seconds ?? input.duration
    const product = productOf(model, { ...input, count: input.num_images, duration })
    return { model, prompt: input.prompt, product, idempotencyKey: request.headers['idempotency-key'] }
  },
  (generation, _, exchange) => ({ ...queued, ...linksOf(exchange, generation) }),
)

const queued = { status: 'IN_QUEUE', queue_position: 0 }

function linksOf({ origin }: Exchange, { id, model }: Generation) {
  const base = `${origin}/queue/${model}/requests/${id}`
  return { request_id: id, response_url: base, status_url: `${base}/status`, cancel_url: `${base}/cancel` }
}

const showStatus = withGeneration(vendor, (generation, simulator, exchange) => {
  const { state } = statusOf(generation, simulator)
  const links = linksOf(exchange, generation)
  if (state === 'queued') return { status: 202, body: { ...queued, ...links } }
  if (state === 'running') return { status: 202, body: { status: 'IN_PROGRESS', ...links } }
  const reason = state === 'cancelled' ? { error: 'Request was cancelled', error_type: 'cancelled' } : {}
  return { body: { status: 'COMPLETED', metrics: { inference_time: 1 }, ...reason, ...links } }
})

const showResult = withGeneration(vendor, (generation, simulator, exchange) => {
  const { state, isRefused } = statusOf(generation, simulator)
  if (state === 'queued' || state === 'running') throw refuse(400, 'Request is still in progress')
  if (state === 'failed') {
    const [msg, type] = isRefused
      ? [refusedMessage, 'content_policy_violation']
      : [failedMessage, 'generation_error']
    throw refuse(422, [{ loc: ['body', 'prompt'], msg, type }])
  }
  const { product } = generation
  const files = filesOf(generation).map(name => ({ url: urlOf(exchange, name), file_name: name }))
  if (product.kind !== 'image') return { body: { [product.kind === 'video' ? 'video' : 'audio']: files[0] } }
  const images = files.map(file => ({ ...file, ...product.size, content_type: 'image/png' }))
  return { body: { images, seed: 7, has_nsfw_concepts: images.map(() => false) } }
})

const cancel = withGeneration(vendor, (generation, simulator) =>
  cancelGeneration(simulator, generation)
    ? { status: 202, body: { status: 'CANCELLATION_REQUESTED' } }
    : { status: 400, body: { status: 'ALREADY_COMPLETED' } },
)

/**
 * A queue of requests at `{simulator}/queue`. Clients submit to the URL of a model, poll the status, then get the
 * result. It supports `Idempotency-Key`.
 */
export const requestQueue: VendorApi = {
  routes: {
    'GET /queue/:model+/requests/:id/status': showStatus,
    'PUT /queue/:model+/requests/:id/cancel': cancel,
    'GET /queue/:model+/requests/:id': showResult,
    'POST /queue/:model+': submit,
  },
  presentHeaders: ({ id }) => ({ 'x-fal-request-id': String(id) }),
}
