import { Refusal } from '../../server/exchange.ts'
import { sendWhole } from '../../server/send.ts'
import { readShape } from '../../server/shape.ts'
import { filesOf, urlOf } from '../media/files.ts'
import {
  failedMessage,
  type Generation,
  refusedMessage,
  statusOf,
  submitting,
  withGeneration,
} from '../media/generation.ts'
import { sizeOf } from '../media/sizes.ts'
import type { Handler } from '../simulator.ts'
import { refuse, refuseFailure, refuseMismatch } from './errors.ts'
import { authenticate } from './host.ts'
import { videoShape } from './shape.ts'

const vendor = { authenticate, refuseFailure, refuseMissing: () => refuse(404, 'Operation not found.') }

/** Handles `POST …/models/{model}:predictLongRunning`: starts a video and returns the name of its operation. */
export const startOperation = submitting(
  vendor,
  ({ params, body }) => {
    const { model = '' } = params
    const { instances, parameters } = readShape(videoShape, body.json, refuseMismatch)
    const { aspectRatio, durationSeconds, resolution } = parameters ?? {}
    const size = sizeOf(resolution ?? '720p', aspectRatio ?? '16:9')
    return {
      ...{ model, prompt: instances[0]?.prompt ?? '' },
      product: { kind: 'video', size, seconds: durationSeconds ?? 8 },
    }
  },
  generation => ({ body: { name: nameOf(generation) } }),
)

function nameOf({ id, model }: Generation): string {
  return `models/${model}/operations/${id}`
}

const responseType = 'type.googleapis.com/google.ai.generativelanguage.v1beta.PredictLongRunningResponse'

/** Handles `GET …/models/{model}/operations/{id}`. */
export const readOperation = withGeneration(vendor, (generation, simulator, exchange) => {
  const name = nameOf(generation)
  const { state, isRefused } = statusOf(generation, simulator.clock.now())
  if (state === 'queued' || state === 'running') return sendWhole(exchange, { body: { name } })
  if (state === 'failed' && !isRefused) {
    const error = { code: 13, message: failedMessage }
    return sendWhole(exchange, { body: { name, done: true, error } })
  }
  const base = `http://${exchange.request.headers.host}/gemini/v1beta/files`
  const generateVideoResponse =
    state === 'failed'
      ? { raiMediaFilteredCount: 1, raiMediaFilteredReasons: [refusedMessage] }
      : {
          generatedSamples: filesOf(simulator, generation).map(file => ({
            video: { uri: `${base}/${file}:download?alt=media` },
          })),
        }
  const response = { '@type': responseType, generateVideoResponse }
  return sendWhole(exchange, { body: { name, done: true, response } })
})

/** Handles `GET …/files/{name}:download`: redirects to the file, which needs no credential. */
export const downloadFile: Handler = ({ files }, exchange) => {
  authenticate(exchange)
  const { name = '' } = exchange.params
  if (!files.has(name)) throw refuse(404, 'Requested entity was not found.')
  throw new Refusal({ status: 302, body: {}, headers: { location: urlOf(exchange, name) } })
}
