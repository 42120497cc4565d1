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
import { geminiHost, refuse, refuseMismatch } from './host.ts'
import { videoShape } from './shape.ts'

const { authenticate, refuseFailure } = geminiHost
const vendor = { authenticate, refuseFailure, refuseMissing: () => refuse(404, 'Operation not found.') }

/** Handles `POST …/models/{model}:predictLongRunning`: starts a video and returns the name of its operation. */
export const startOperation = submitting(
  vendor,
  ({ params, json }) => {
    const { model = '' } = params
    const { instances, parameters } = readShape(videoShape, json, refuseMismatch)
    const { aspectRatio, durationSeconds, resolution } = parameters ?? {}
    const size = sizeOf(resolution ?? '720p', aspectRatio ?? '16:9')
    return {
      ...{ model, prompt: instances[0]?.prompt ?? '' },
      product: { kind: 'video', size, seconds: durationSeconds ?? 8 },
    }
  },
  generation => ({ name: nameOf(generation) }),
)

function nameOf({ id, model }: Generation): string {
  return `models/${model}/operations/${id}`
}

const responseType = 'type.googleapis.com/google.ai.generativelanguage.v1beta.PredictLongRunningResponse'

/** Handles `GET …/models/{model}/operations/{id}`. */
export const readOperation = withGeneration(vendor, (generation, simulator, exchange) => {
  const name = nameOf(generation)
  const { state, isRefused } = statusOf(generation, simulator)
  if (state === 'queued' || state === 'running') return { body: { name } }
  if (state === 'failed' && !isRefused)
    return { body: { name, done: true, error: { code: 13, message: failedMessage } } }
  const base = `${exchange.origin}/gemini/v1beta/files`
  const samples = () => filesOf(generation).map(file => `${base}/${file}:download?alt=media`)
  const generateVideoResponse = isRefused
    ? { raiMediaFilteredCount: 1, raiMediaFilteredReasons: [refusedMessage] }
    : { generatedSamples: samples().map(uri => ({ video: { uri } })) }
  return { body: { name, done: true, response: { '@type': responseType, generateVideoResponse } } }
})

/** Handles `GET …/files/{name}:download`: redirects to the file, which needs no credential. */
export const downloadFile: Handler = async (simulator, exchange) => {
  await authenticate(exchange, simulator)
  return { status: 302, headers: { location: urlOf(exchange, exchange.params.name ?? '') }, body: {} }
}
