import { z } from 'zod'
import type { Exchange } from '../../server/exchange.ts'
import { Refusal } from '../../server/exchange.ts'
import type { Failure } from '../../server/faults.ts'
import type { JsonRecord } from '../../server/json.ts'
import { sendWhole } from '../../server/send.ts'
import { type Mismatch, readShape } from '../../server/shape.ts'
import { checkKey } from '../check-key.ts'
import { filesOf, urlOf } from '../media/files.ts'
import {
  cancelGeneration,
  failedMessage,
  findGeneration,
  type Generation,
  refusedMessage,
  statusOf,
  submitGeneration,
} from '../media/generation.ts'
import type { Simulator, VendorApi } from '../simulator.ts'
import { productOf } from './product.ts'

const onRequest = /^\/queue\/(?<model>.+)\/requests\/(?<id>[\w-]+)/.source

/**
 * A queue of requests at `{simulator}/queue`. Clients submit to the URL of a model, poll the status, then get the
 * result. It supports `Idempotency-Key`.
 */
export const requestQueue: VendorApi = {
  prefix: '/queue/',
  routes: [
    { method: 'GET', path: new RegExp(`${onRequest}/status$`), handle: sendStatus },
    { method: 'PUT', path: new RegExp(`${onRequest}/cancel$`), handle: cancel },
    { method: 'GET', path: new RegExp(`${onRequest}$`), handle: sendResult },
    { method: 'POST', path: /^\/queue\/(?<model>[\w./@;=-]+)$/, handle: submit },
  ],
  presentHeaders: ({ id }) => ({ 'x-fal-request-id': String(id) }),
  refuseUnknown: () => refuse(404, 'Not Found'),
  refuseTooLarge: () => refuse(413, 'Request Entity Too Large'),
}

function refuse(status: number, detail: unknown): Refusal {
  return new Refusal({ status, body: { detail } })
}

function refuseFailure({ kind, status, model, retryAfterMs }: Failure): Refusal {
  if (kind === 'quota') return refuse(403, 'User is locked. Reason: Exhausted balance.')
  const headers = status === 429 ? { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) } : {}
  return new Refusal({
    status,
    headers,
    body: { detail: `The request to ${model} failed with status ${status}.` },
  })
}

function authenticate({ request }: Exchange): string {
  const key = /^Key (\S+)$/.exec(request.headers.authorization ?? '')?.[1]
  if (!key) throw refuse(401, 'Cannot access application. Authentication is required.')
  const refuseKey = () => refuse(401, 'Invalid Key')
  return checkKey(key, { refuseKey, keyStatus: 401, refuseFailure })
}

const source = z.string().regex(/^(https?:\/\/|data:(image|video)\/)/, 'value is not a valid URL')
const inputShape = z.strictObject({
  prompt: z.string().min(1),
  negative_prompt: z.string().nullish(),
  num_images: z.int().min(1).max(10).nullish(),
  aspect_ratio: z.string().nullish(),
  resolution: z.string().nullish(),
  size: z.string().nullish(),
  seed: z.int().min(0).nullish(),
  duration: z.union([z.string(), z.int()]).nullish(),
  duration_seconds: z.int().min(1).max(600).nullish(),
  image_url: source.nullish(),
  image_urls: z.array(source).max(14).nullish(),
  video_urls: z.array(source).max(3).nullish(),
  shot_type: z.enum(['single', 'multi']).nullish(),
  audio: z.boolean().nullish(),
  watermark: z.boolean().nullish(),
  instrumental: z.boolean().nullish(),
  loop: z.boolean().nullish(),
})

/** Handles a submit, whose body is the model's input. */
async function submit(simulator: Simulator, exchange: Exchange): Promise<void> {
  const caller = authenticate(exchange)
  const { model = '' } = exchange.params
  const input = readShape(inputShape, exchange.body.json, refuseMismatch)
  if (model.startsWith('missing-')) throw refuse(404, `Application '${model}' not found`)
  const key = exchange.request.headers['idempotency-key']
  const { generation, fault } = await submitGeneration(simulator, exchange, {
    caller,
    model,
    prompt: input.prompt,
    product: productOf(model, {
      ...input,
      count: input.num_images,
      duration: input.duration_seconds ?? input.duration,
    }),
    refuse: refuseFailure,
    idempotencyKey: typeof key === 'string' ? key : undefined,
  })
  const body = { status: 'IN_QUEUE', queue_position: 0, ...linksOf(exchange, generation) }
  await sendWhole(exchange, { body, fault })
}

/** FastAPI's error for a body that does not match its shape: `{"detail": [{loc, msg, type}]}`. */
function refuseMismatch({ kind, path, message }: Mismatch): Refusal {
  const msg = kind === 'unknown' ? 'Extra inputs are not permitted' : message
  return refuse(422, [{ loc: ['body', ...path], msg, type: 'value_error' }])
}

function linksOf({ request }: Exchange, { id, model }: Generation) {
  const base = `http://${request.headers.host}/queue/${model}/requests/${id}`
  return { request_id: id, response_url: base, status_url: `${base}/status`, cancel_url: `${base}/cancel` }
}

function find(simulator: Simulator, exchange: Exchange): Generation {
  authenticate(exchange)
  return findGeneration(simulator, exchange.params.id ?? '', {
    refuseMissing: () => refuse(404, 'Request not found'),
    refuse: refuseFailure,
  })
}

function sendStatus(simulator: Simulator, exchange: Exchange): Promise<void> {
  const generation = find(simulator, exchange)
  const { state } = statusOf(generation, simulator.clock.now())
  const status = state === 'queued' ? 'IN_QUEUE' : state === 'running' ? 'IN_PROGRESS' : 'COMPLETED'
  const isOver = status === 'COMPLETED'
  const reason = state === 'cancelled' ? { error: 'Request was cancelled', error_type: 'cancelled' } : {}
  const body = {
    status,
    ...(status === 'IN_QUEUE' && { queue_position: 0 }),
    ...(isOver && { metrics: { inference_time: 1 } }),
    ...reason,
    ...linksOf(exchange, generation),
  }
  return sendWhole(exchange, { status: isOver ? 200 : 202, body })
}

function sendResult(simulator: Simulator, exchange: Exchange): Promise<void> {
  const generation = find(simulator, exchange)
  const status = statusOf(generation, simulator.clock.now())
  if (status.state === 'queued' || status.state === 'running') {
    throw refuse(400, 'Request is still in progress')
  }
  if (status.state === 'failed') {
    const [msg, type] = status.isRefused
      ? [refusedMessage, 'content_policy_violation']
      : [failedMessage, 'generation_error']
    throw refuse(422, [{ loc: ['body', 'prompt'], msg, type }])
  }
  return sendWhole(exchange, { body: presentResult(simulator, exchange, generation) })
}

function presentResult(simulator: Simulator, exchange: Exchange, generation: Generation): JsonRecord {
  const { product } = generation
  const files = filesOf(simulator, generation).map(name => ({
    url: urlOf(exchange, name),
    file_name: name,
  }))
  if (product.kind === 'image') {
    const images = files.map(file => ({ ...file, ...product.size, content_type: 'image/png' }))
    return { images, seed: 7, has_nsfw_concepts: images.map(() => false) }
  }
  const [file] = files
  const name = product.kind === 'video' ? 'video' : 'audio'
  return file ? { [name]: file } : {}
}

function cancel(simulator: Simulator, exchange: Exchange): Promise<void> {
  const isCancelled = cancelGeneration(simulator, find(simulator, exchange))
  const status = isCancelled ? 'CANCELLATION_REQUESTED' : 'ALREADY_COMPLETED'
  return sendWhole(exchange, { status: isCancelled ? 202 : 400, body: { status } })
}
