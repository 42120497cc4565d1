import { z } from 'zod'
import { type Exchange, Refusal } from '../../server/exchange.ts'
import type { JsonRecord } from '../../server/json.ts'
import { anything, type Mismatch, readShape } from '../../server/shape.ts'
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

function refuseFailure({ kind, status, retryAfterMs }: Failure): Refusal {
  if (kind === 'key') return refuse(401, 'You did not pass a valid authentication token')
  if (kind === 'quota') return refuse(402, 'You have insufficient credit to run this model.')
  const retry_after = Math.ceil(retryAfterMs / 1000)
  if (status === 429) return refuse(429, 'Request was throttled.', { retry_after })
  return refuse(status, 'Something went wrong.')
}

const vendor = {
  ...bearerHost(refuseFailure),
  refuseMissing: () => refuse(404, 'The requested resource could not be found.'),
}

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
  ({ params, json }) => {
    const { model = '' } = params
    const { input } = readShape(bodyShape, json, refuseMismatch)
    const resolution = input.scale === undefined ? input.resolution : `${Number(input.scale)}K`
    return { model, prompt: input.prompt, product: productOf(model, { ...input, resolution }) }
  },
  present,
  201,
)

const show = withGeneration(vendor, (...polled) => ({ body: present(...polled) }))

const cancel = withGeneration(vendor, (generation, simulator, exchange) => {
  if (!cancelGeneration(simulator, generation)) throw refuse(422, 'The prediction has already ended.')
  return { body: present(generation, simulator, exchange) }
})

const statuses = {
  ...({ queued: 'starting', running: 'processing', done: 'succeeded' } as const),
  ...({ failed: 'failed', cancelled: 'canceled' } as const),
}

/** Presents a prediction. Its output is a list of URLs for images, else one URL. */
function present(generation: Generation, simulator: Simulator, exchange: Exchange) {
  const { id, model, startedAt, prompt, product } = generation
  const { state, isRefused } = statusOf(generation, simulator)
  const base = `${exchange.origin}/predictions/v1/predictions/${id}`
  const urls = state === 'done' ? filesOf(generation).map(name => urlOf(exchange, name)) : undefined
  return {
    ...{ id, model, version: 'hidden', input: { prompt }, logs: '' },
    output: (product.kind === 'image' ? urls : urls?.[0]) ?? null,
    error: state !== 'failed' ? null : isRefused ? refusedMessage : failedMessage,
    status: statuses[state],
    created_at: new Date(startedAt).toISOString(),
    urls: { get: base, cancel: `${base}/cancel` },
  }
}

/**
 * A queue of predictions at `{simulator}/predictions/v1`. Clients create a prediction from `{"input": …}` and poll it
 * until it ends. It does not support idempotency keys.
 */
export const predictions: VendorApi = {
  routes: {
    'POST /predictions/v1/models/:model+/predictions': create,
    'GET /predictions/v1/predictions/:id': show,
    'POST /predictions/v1/predictions/:id/cancel': cancel,
  },
}
