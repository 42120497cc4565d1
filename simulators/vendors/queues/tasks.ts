import { z } from 'zod'
import { type Exchange, Refusal } from '../../server/exchange.ts'
import type { Failure } from '../../server/faults.ts'
import type { JsonRecord } from '../../server/json.ts'
import { sendWhole } from '../../server/send.ts'
import { type Mismatch, readShape } from '../../server/shape.ts'
import { checkKey } from '../check-key.ts'
import { filesOf, urlOf } from '../media/files.ts'
import {
  failedMessage,
  findGeneration,
  type Generation,
  refusedMessage,
  statusOf,
  submitGeneration,
} from '../media/generation.ts'
import type { Simulator, VendorApi } from '../simulator.ts'
import { productOf } from './product.ts'

/**
 * A queue of tasks at `{simulator}/tasks/v1`. All models have the same URL, clients get a file by its own ID, and errors
 * are bodies with status 200. Tasks cannot be cancelled.
 */
export const tasks: VendorApi = {
  prefix: '/tasks/',
  routes: [
    { method: 'POST', path: '/tasks/v1/video_generation', handle: submit },
    { method: 'GET', path: '/tasks/v1/query/video_generation', handle: query },
    { method: 'GET', path: '/tasks/v1/files/retrieve', handle: retrieve },
  ],
  presentHeaders: () => ({}),
  refuseUnknown: () => new Refusal({ status: 404, body: '404 page not found' }),
  refuseTooLarge: () => new Refusal({ status: 413, body: 'too large' }),
}

const succeeded = { base_resp: { status_code: 0, status_msg: 'success' } }

/** An error in the vendor's format. The default status is 200; its proxies use other statuses. */
function refuse(code: number, message: string, status = 200): Refusal {
  return new Refusal({ status, body: { base_resp: { status_code: code, status_msg: message } } })
}

function refuseFailure({ kind, status }: Failure): Refusal {
  if (kind === 'quota') return refuse(1008, 'insufficient balance')
  if (status === 429) return refuse(1002, 'rate limit triggered')
  if (status === 401) return refuse(1004, 'login fail')
  return refuse(1000, 'unknown error', status)
}

function authenticate({ request }: Exchange): string {
  const key = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
  const refuseKey = () => refuse(2049, 'invalid api key')
  return checkKey(key, { refuseKey, keyStatus: 401, refuseFailure })
}

const image = z.string().regex(/^https?:\/\//, 'must be a URL')
const bodyShape = z.strictObject({
  model: z.string().min(1),
  prompt: z.string().min(1).max(2_000),
  subject_reference: z.array(z.strictObject({ image })).max(7).optional(),
  duration: z.int().min(1).max(10).optional(),
  resolution: z.enum(['540p', '720p', '1080p']).optional(),
  aspect_ratio: z.enum(['16:9', '9:16', '1:1']).optional(),
  audio: z.boolean().optional(),
  movement_amplitude: z.enum(['auto', 'small', 'medium', 'high', 'large']).optional(),
  bgm: z.boolean().optional(),
  seed: z.int().min(0).optional(),
})

async function submit(simulator: Simulator, exchange: Exchange): Promise<void> {
  const caller = authenticate(exchange)
  const input = readShape(bodyShape, exchange.body.json, refuseMismatch)
  if (input.model.startsWith('missing-')) throw refuse(2013, `invalid params, unknown model ${input.model}`)
  const { generation, fault } = await submitGeneration(simulator, exchange, {
    caller,
    model: input.model,
    prompt: input.prompt,
    product: productOf(input.model, input),
    refuse: refuseFailure,
  })
  await send(exchange, { task_id: generation.id, ...succeeded }, fault)
}

function refuseMismatch({ path, message }: Mismatch): Refusal {
  return refuse(2013, `invalid params, ${path.join('.')}: ${message}`)
}

function find(simulator: Simulator, exchange: Exchange, id: string | null): Generation {
  authenticate(exchange)
  return findGeneration(simulator, id ?? '', {
    refuseMissing: () => refuse(1000, 'task not found', 404),
    refuse: refuseFailure,
  })
}

const statuses = {
  ...({ queued: 'Queueing', running: 'Processing', done: 'Success' } as const),
  ...({ failed: 'Fail', cancelled: 'Fail' } as const),
}

function query(simulator: Simulator, exchange: Exchange): Promise<void> {
  const generation = find(simulator, exchange, exchange.query.get('task_id'))
  const { state, percent, isRefused } = statusOf(generation, simulator.clock.now())
  const failure = isRefused
    ? { base_resp: { status_code: 1027, status_msg: refusedMessage } }
    : { base_resp: { status_code: 1000, status_msg: failedMessage } }
  const result = state === 'failed' ? failure : succeeded
  const task = { task_id: generation.id, status: statuses[state], progress: percent }
  return send(exchange, { ...task, ...(state === 'done' && { file_id: `f${generation.id}` }), ...result })
}

function retrieve(simulator: Simulator, exchange: Exchange): Promise<void> {
  const id = (exchange.query.get('file_id') ?? '').replace(/^f/, '')
  const [name] = filesOf(simulator, find(simulator, exchange, id))
  if (!name) throw refuse(1000, 'file not found')
  const file = { file_id: `f${id}`, filename: name, download_url: urlOf(exchange, name) }
  return send(exchange, { file, ...succeeded })
}

function send(exchange: Exchange, body: JsonRecord, fault?: Parameters<typeof sendWhole>[1]['fault']) {
  return sendWhole(exchange, { body, fault })
}
