import { z } from 'zod'
import { type Exchange, Refusal } from '../../server/exchange.ts'
import type { Failure } from '../../server/faults.ts'
import type { Json, JsonRecord } from '../../server/json.ts'
import { sendWhole } from '../../server/send.ts'
import { anything, type Mismatch, readShape } from '../../server/shape.ts'
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

const onPrediction = /^\/predictions\/v1\/predictions\/(?<id>[\w-]+)/.source

/**
 * A queue of predictions at `{simulator}/predictions/v1`. Clients create a prediction from `{"input": …}` and poll it
 * until it ends. It does not support idempotency keys.
 */
export const predictions: VendorApi = {
  prefix: '/predictions/',
  routes: [
    {
      method: 'POST',
      path: /^\/predictions\/v1\/models\/(?<model>[\w./@;=-]+)\/predictions$/,
      handle: create,
    },
    { method: 'GET', path: new RegExp(`${onPrediction}$`), handle: show },
    { method: 'POST', path: new RegExp(`${onPrediction}/cancel$`), handle: cancel },
  ],
  presentHeaders: () => ({}),
  refuseUnknown: () => refuse(404, 'The requested resource could not be found.'),
  refuseTooLarge: () => refuse(413, 'Request body is too large.'),
}

/** An error in the vendor's format: `{title, detail, status}`. */
function refuse(status: number, detail: string, more: JsonRecord = {}): Refusal {
  return new Refusal({ status, body: { title: titles.get(status) ?? 'Error', detail, status, ...more } })
}

const titles = new Map([
  [401, 'Unauthenticated'],
  [402, 'Insufficient credit'],
  [404, 'Not found'],
  [422, 'Invalid version or not permitted'],
  [429, 'Too many requests'],
])

function refuseFailure({ kind, status, retryAfterMs }: Failure): Refusal {
  if (kind === 'quota') return refuse(402, 'You have insufficient credit to run this model.')
  const retry_after = Math.ceil(retryAfterMs / 1000)
  if (status === 429) return refuse(429, 'Request was throttled.', { retry_after })
  return refuse(status, 'Something went wrong.')
}

function authenticate({ request }: Exchange): string {
  const key = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1]
  if (!key) throw refuse(401, 'You did not pass an authentication token')
  const refuseKey = () => refuse(401, 'You did not pass a valid authentication token')
  return checkKey(key, { refuseKey, keyStatus: 401, refuseFailure })
}

async function create(simulator: Simulator, exchange: Exchange): Promise<void> {
  const caller = authenticate(exchange)
  const { model = '' } = exchange.params
  const { input } = readShape(bodyShape, exchange.body.json, refuseMismatch)
  if (model.startsWith('missing-')) throw refuse(404, 'The requested resource could not be found.')
  const { generation, fault } = await submitGeneration(simulator, exchange, {
    caller,
    model,
    prompt: input.prompt,
    product: productOf(model, parametersOf(input)),
    refuse: refuseFailure,
  })
  await sendWhole(exchange, { status: 201, body: present(simulator, exchange, generation), fault })
}

const imageUrl = z
  .string()
  .regex(/^(https?:\/\/|data:image\/)/, 'Does not match format "uri"')
  .optional()
const bodyShape = z.strictObject({
  input: z.looseObject({
    prompt: z.string().min(1),
    image: imageUrl,
    start_image: imageUrl,
    end_image: imageUrl,
    images: z.array(imageUrl).optional(),
    duration: z.number().optional(),
    resolution: z.string().optional(),
    aspect_ratio: z.string().optional(),
    scale: z.union([z.string(), z.number()]).optional(),
  }),
  ...{ webhook: anything, webhook_events_filter: anything, stream: anything, version: anything },
})
type Input = z.output<typeof bodyShape>['input']

function refuseMismatch({ kind, path, message }: Mismatch): Refusal {
  const at = path.join('.')
  const description =
    kind === 'unknown'
      ? `Additional property ${at} is not allowed`
      : kind === 'missing'
        ? `${at} is required`
        : `${at}: ${message}`
  return refuse(422, `- ${description}`, { invalid_fields: [{ description }] })
}

function parametersOf({ scale, resolution, ...input }: Input) {
  return { ...input, resolution: scale === undefined ? resolution : `${Number(scale)}K` }
}

function find(simulator: Simulator, exchange: Exchange): Generation {
  authenticate(exchange)
  return findGeneration(simulator, exchange.params.id ?? '', {
    refuseMissing: () => refuse(404, 'The requested resource could not be found.'),
    refuse: refuseFailure,
  })
}

function show(simulator: Simulator, exchange: Exchange): Promise<void> {
  const generation = find(simulator, exchange)
  return sendWhole(exchange, { body: present(simulator, exchange, generation) })
}

function cancel(simulator: Simulator, exchange: Exchange): Promise<void> {
  const generation = find(simulator, exchange)
  if (!cancelGeneration(simulator, generation)) throw refuse(422, 'The prediction has already ended.')
  return sendWhole(exchange, { body: present(simulator, exchange, generation) })
}

const statuses = {
  ...({ queued: 'starting', running: 'processing', done: 'succeeded' } as const),
  ...({ failed: 'failed', cancelled: 'canceled' } as const),
}

function present(simulator: Simulator, exchange: Exchange, generation: Generation): JsonRecord {
  const { id, model, startedAt, prompt, product } = generation
  const { state, isRefused } = statusOf(generation, simulator.clock.now())
  const base = `http://${exchange.request.headers.host}/predictions/v1/predictions/${id}`
  const error = state !== 'failed' ? null : isRefused ? refusedMessage : failedMessage
  return {
    id,
    model,
    version: 'hidden',
    input: { prompt },
    logs: '',
    output: state === 'done' ? outputOf(simulator, exchange, generation, product.kind) : null,
    error,
    status: statuses[state],
    created_at: new Date(startedAt).toISOString(),
    urls: { get: base, cancel: `${base}/cancel` },
  }
}

/** Returns a list of URLs for images, else one URL. */
function outputOf(simulator: Simulator, exchange: Exchange, generation: Generation, kind: string): Json {
  const urls = filesOf(simulator, generation).map(name => urlOf(exchange, name))
  return kind === 'image' ? urls : (urls[0] ?? null)
}
