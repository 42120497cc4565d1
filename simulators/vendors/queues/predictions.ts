import { type Exchange, Refusal } from '../../server/exchange.ts'
import type { Failure } from '../../server/faults.ts'
import { isRecord, type Json, type JsonRecord } from '../../server/json.ts'
import { sendWhole } from '../../server/send.ts'
import { checkKey } from '../check-key.ts'
import { addressOf, filesOf } from '../media/files.ts'
import { cancelGeneration, findGeneration, submitGeneration } from '../media/generate.ts'
import { failedMessage, type Generation, refusedMessage, standingOf } from '../media/generation.ts'
import type { Simulator, VendorApi } from '../simulator.ts'
import { productOf } from './product.ts'

const onPrediction = /^\/predictions\/v1\/predictions\/(?<id>[\w-]+)/.source

/**
 * A queue of predictions, below `{simulator}/predictions/v1`: a prediction is created of `{"input": …}` and asked
 * for until it has ended. It honours no idempotency key.
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

/** `{title, detail, status}`. */
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
  const input = readInput(exchange.body.json)
  if (model.startsWith('missing-')) throw refuse(404, 'The requested resource could not be found.')
  const { generation, fault } = await submitGeneration(simulator, exchange, {
    caller,
    model,
    prompt: String(input.prompt),
    product: productOf(model, wantedBy(input)),
    refuse: refuseFailure,
  })
  const body = JSON.stringify(present(simulator, exchange, generation))
  await sendWhole(exchange, { status: 201, body, fault })
}

/** Nothing but `input` beside what the vendor knows; a prompt, and addresses where images are. */
function readInput(body: Json | undefined): JsonRecord {
  if (!isRecord(body) || !isRecord(body.input)) throw refuseInput('input is required')
  const known = ['input', 'webhook', 'webhook_events_filter', 'stream', 'version']
  const unknown = Object.keys(body).find(name => !known.includes(name))
  if (unknown !== undefined) throw refuseInput(`Additional property ${unknown} is not allowed`)
  const { input } = body
  if (typeof input.prompt !== 'string' || input.prompt === '') throw refuseInput('input.prompt is required')
  const images = [input.image, input.start_image, input.end_image, input.images].flat()
  const wrong = images.find(
    image => image !== undefined && !/^(https?:\/\/|data:image\/)/.test(String(image)),
  )
  if (wrong !== undefined) throw refuseInput('input.image: Does not match format "uri"')
  return input
}

function refuseInput(complaint: string): Refusal {
  return refuse(422, `- ${complaint}`, { invalid_fields: [{ description: complaint }] })
}

function wantedBy({ duration, resolution, aspect_ratio, scale }: JsonRecord) {
  const text = (value: Json | undefined) => (typeof value === 'string' ? value : undefined)
  const enlarged = scale === undefined ? undefined : `${Number(scale)}K`
  return {
    duration: typeof duration === 'number' ? duration : undefined,
    resolution: enlarged ?? text(resolution),
    aspect_ratio: text(aspect_ratio),
  }
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
  return sendWhole(exchange, { body: JSON.stringify(present(simulator, exchange, generation)) })
}

function cancel(simulator: Simulator, exchange: Exchange): Promise<void> {
  const generation = find(simulator, exchange)
  if (!cancelGeneration(simulator, generation)) throw refuse(422, 'The prediction has ended already.')
  return sendWhole(exchange, { body: JSON.stringify(present(simulator, exchange, generation)) })
}

const words = {
  queued: 'starting',
  running: 'processing',
  done: 'succeeded',
  failed: 'failed',
  cancelled: 'canceled',
} as const

function present(simulator: Simulator, exchange: Exchange, generation: Generation): JsonRecord {
  const { id, model, startedAt, prompt, product } = generation
  const standing = standingOf(generation, simulator.clock.now())
  const base = `http://${exchange.request.headers.host}/predictions/v1/predictions/${id}`
  const error = standing.state !== 'failed' ? null : standing.isRefused ? refusedMessage : failedMessage
  return {
    id,
    model,
    version: 'hidden',
    input: { prompt },
    logs: '',
    output: standing.state === 'done' ? outputOf(simulator, exchange, generation, product.kind) : null,
    error,
    status: words[standing.state],
    created_at: new Date(startedAt).toISOString(),
    urls: { get: base, cancel: `${base}/cancel` },
  }
}

/** One address, or a list of them where images are made. */
function outputOf(simulator: Simulator, exchange: Exchange, generation: Generation, kind: string): Json {
  const addresses = filesOf(simulator, generation).map(name => addressOf(exchange, name))
  return kind === 'image' ? addresses : (addresses[0] ?? null)
}
