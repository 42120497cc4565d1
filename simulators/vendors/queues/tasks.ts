import { z } from 'zod'
import { Refusal } from '../../server/exchange.ts'
import { type Mismatch, readShape } from '../../server/shape.ts'
import type { Failure } from '../faults.ts'
import { bearerHost } from '../host.ts'
import { filesOf, urlOf } from '../media/files.ts'
import { failedMessage, refusedMessage, statusOf, submitting, withGeneration } from '../media/generation.ts'
import type { VendorApi } from '../simulator.ts'
import { productOf } from './product.ts'

/** The result of a call, which is part of every body. */
function resultOf(status_code: number, status_msg: string) {
  return { base_resp: { status_code, status_msg } }
}

const succeeded = resultOf(0, 'success')

/** An error in the vendor's format. The default status is 200; its proxies use other statuses. */
function refuse(code: number, message: string, status = 200): Refusal {
  return new Refusal({ status, body: resultOf(code, message) })
}

function refuseFailure({ kind, status }: Failure): Refusal {
  if (kind === 'key') return refuse(2049, 'invalid api key')
  if (kind === 'quota') return refuse(1008, 'insufficient balance')
  if (status === 429) return refuse(1002, 'rate limit triggered')
  if (status === 401) return refuse(1004, 'login fail')
  return refuse(1000, 'unknown error', status)
}

const vendor = { ...bearerHost(refuseFailure), refuseMissing: () => refuse(1000, 'task not found', 404) }

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

function refuseMismatch({ path, message }: Mismatch): Refusal {
  return refuse(2013, `invalid params, ${path.join('.')}: ${message}`)
}

const submit = submitting(
  vendor,
  ({ json }) => {
    const input = readShape(bodyShape, json, refuseMismatch)
    const { model, prompt } = input
    return { model, prompt, product: productOf(model, input) }
  },
  ({ id }) => ({ task_id: id, ...succeeded }),
)

const statuses = {
  ...({ queued: 'Queueing', running: 'Processing', done: 'Success' } as const),
  ...({ failed: 'Fail', cancelled: 'Fail' } as const),
}

const query = withGeneration(
  vendor,
  (generation, simulator) => {
    const { state, percent, isRefused } = statusOf(generation, simulator)
    const failure = isRefused ? resultOf(1027, refusedMessage) : resultOf(1000, failedMessage)
    const result = state === 'failed' ? failure : succeeded
    const task = { task_id: generation.id, status: statuses[state], progress: percent }
    const file = state === 'done' && { file_id: `f${generation.id}` }
    return { body: { ...task, ...file, ...result } }
  },
  exchange => exchange.query.get('task_id') ?? '',
)

const retrieve = withGeneration(
  vendor,
  (generation, _, exchange) => {
    const [filename] = filesOf(generation)
    if (!filename) throw refuse(1000, 'file not found')
    const file = { file_id: `f${generation.id}`, filename, download_url: urlOf(exchange, filename) }
    return { body: { file, ...succeeded } }
  },
  exchange => (exchange.query.get('file_id') ?? '').replace(/^f/, ''),
)

/**
 * A queue of tasks at `{simulator}/tasks/v1`. All models have the same URL, clients get a file by its own ID, and errors
 * are bodies with status 200. Tasks cannot be cancelled.
 */
export const tasks: VendorApi = {
  routes: {
    'POST /tasks/v1/video_generation': submit,
    'GET /tasks/v1/query/video_generation': query,
    'GET /tasks/v1/files/retrieve': retrieve,
  },
}
