import { z } from 'zod'
import { type Exchange, Refusal } from '../../server/exchange.ts'
import type { Failure } from '../../server/faults.ts'
import type { JsonRecord } from '../../server/json.ts'
import { sendWhole } from '../../server/send.ts'
import { anything, type Mismatch, readShape } from '../../server/shape.ts'
import { bearerOf, checkKey } from '../host.ts'
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
import type { Simulator, VendorApi } from '../simulator.ts'
import { productOf } from './product.ts'

const titles: Readonly<Record<number, string>> = {
  401: 'Unauthenticated',
  402: 'Insufficient credit',
  404: 'Not found',
  422: 'Invalid version or not permitted',
  429: 'Too many requests',
}

/** An error in the vendor's format: `{title, detail, status}`. */
function refuse(status: number, detail: string, more: JsonRecord = {}): Refusal {
  return new Refusal({ status, body: { title: titles[status] ?? 'Error', detail, status, ...more } })
}

const refuseMissing = () => refuse(404, 'The requested resource could not be found.')

function refuseFailure({ kind, status, retryAfterMs }: Failure): Refusal {
  if (kind === 'quota') return refuse(402, 'You have insufficient credit to run this model.')
  const retry_after = Math.ceil(retryAfterMs / 1000)
  if (status === 429) return refuse(429, 'Request was throttled.', { retry_after })
  return refuse(status, 'Something went wrong.')
}

function authenticate(exchange: Exchange): string {
  const refuseKey = () => refuse(401, 'You did not pass a valid authentication token')
  return checkKey(bearerOf(exchange), { refuseKey, keyStatus: 401, refuseFailure })
}

const vendor = { authenticate, refuseFailure, refuseMissing }

const imageUrl = z
  .string()
  .regex(/^(https?:\/\/|data:image\/)/, 'Does not match format "uri"')
  .optional()
const bodyShape = z.strictObject({
  input: z.looseObject({
    prompt: z.string().min(1),
    ...{ image: imageUrl, start_image: imageUrl, end_image: imageUrl, images: z.array(imageUrl).optional() },
    duration: z.number().optional(),
    resolution: z.string().optional(),
    aspect_ratio: z.string().optional(),
    scale: z.union([z.string(), z.number()]).optional(),
  }),
  ...{ webhook: anything, webhook_events_filter: anything, stream: anything, version: anything },
})

function refuseMismatch({ path, message }: Mismatch): Refusal {
  const description = `${path.join('.')}: ${message}`
  return refuse(422, `- ${description}`, { invalid_fields: [{ description }] })
}

const create = submitting(
  vendor,
  ({ params, body }) => {
    const { model = '' } = params
    const { input } = readShape(bodyShape, body.json, refuseMismatch)
    const resolution = input.scale === undefined ? input.resolution : `${Number(input.scale)}K`
    return { model, prompt: input.prompt, product: productOf(model, { ...input, resolution }) }
  },
  (generation, simulator, exchange) => ({ status: 201, body: present(generation, simulator, exchange) }),
)

const show = withGeneration(vendor, (generation, simulator, exchange) =>
  sendWhole(exchange, { body: present(generation, simulator, exchange) }),
)

const cancel = withGeneration(vendor, (generation, simulator, exchange) => {
  if (!cancelGeneration(simulator, generation)) throw refuse(422, 'The prediction has already ended.')
  return sendWhole(exchange, { body: present(generation, simulator, exchange) })
})

const statuses = {
  ...({ queued: 'starting', running: 'processing', done: 'succeeded' } as const),
  ...({ failed: 'failed', cancelled: 'canceled' } as const),
}

/** Presents a prediction. Its output is a list of URLs for images, else one URL. */
function present(generation: Generation, simulator: Simulator, exchange: Exchange) {
  const { id, model, startedAt, prompt, product } = generation
  const { state, isRefused } = statusOf(generation, simulator.clock.now())
  const base = `http://${exchange.request.headers.host}/predictions/v1/predictions/${id}`
  const files = state === 'done' ? filesOf(simulator, generation) : undefined
  const urls = files?.map(name => urlOf(exchange, name))
  return {
    ...{ id, model, version: 'hidden', input: { prompt }, logs: '' },
    output: (product.kind === 'image' ? urls : urls?.[0]) ?? null,
    error: state !== 'failed' ? null : isRefused ? refusedMessage : failedMessage,
    status: statuses[state],
    created_at: new Date(startedAt).toISOString(),
    urls: { get: base, cancel: `${base}/cancel` },
  }
}

const onPrediction = /^\/predictions\/v1\/predictions\/(?<id>[\w-]+)/.source
const onModel = /^\/predictions\/v1\/models\/(?<model>[\w./@;=-]+)\/predictions$/

/**
 * A queue of predictions at `{simulator}/predictions/v1`. Clients create a prediction from `{"input": …}` and poll it
 * until it ends. It does not support idempotency keys.
 */
export const predictions: VendorApi = {
  routes: [
    { method: 'POST', path: onModel, handle: create },
    { method: 'GET', path: new RegExp(`${onPrediction}$`), handle: show },
    { method: 'POST', path: new RegExp(`${onPrediction}/cancel$`), handle: cancel },
  ],
}
