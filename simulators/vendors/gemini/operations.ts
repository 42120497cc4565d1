import { type Exchange, Refusal } from '../../server/exchange.ts'
import { sendWhole } from '../../server/send.ts'
import { readShape } from '../../server/shape.ts'
import { filesOf } from '../media/files.ts'
import {
  failedMessage,
  findGeneration,
  type Generation,
  refusedMessage,
  statusOf,
  submitGeneration,
} from '../media/generation.ts'
import { sizeOf } from '../media/sizes.ts'
import type { Handler, Simulator } from '../simulator.ts'
import { refuse, refuseFailure, refuseMismatch, refuseModel } from './errors.ts'
import { traitsOf, videoShape } from './shape.ts'

type Authenticate = (exchange: Exchange) => string

/** Handles `POST …/models/{model}:predictLongRunning`: starts a video and returns the name of its operation. */
export function startOperation(authenticate: Authenticate): Handler {
  return async (simulator, exchange) => {
    const caller = authenticate(exchange)
    const { model = '' } = exchange.params
    if (traitsOf(model).isMissing) throw refuseModel(model)
    const { instances, parameters } = readShape(videoShape, exchange.body.json, refuseMismatch)
    const { aspectRatio, durationSeconds, resolution } = parameters ?? {}
    const { generation, fault } = await submitGeneration(simulator, exchange, {
      caller,
      model,
      prompt: instances[0]?.prompt ?? '',
      product: {
        kind: 'video',
        size: sizeOf(resolution ?? '720p', aspectRatio ?? '16:9'),
        seconds: durationSeconds ?? 8,
      },
      refuse: refuseFailure,
    })
    await sendWhole(exchange, { body: { name: nameOf(generation) }, fault })
  }
}

/** Handles `GET …/models/{model}/operations/{id}`. */
export function readOperation(authenticate: Authenticate): Handler {
  return (simulator, exchange) => {
    const generation = find(authenticate, simulator, exchange)
    return sendWhole(exchange, { body: presentOperation(simulator, exchange, generation) })
  }
}

/** Handles `GET …/files/{name}:download`: redirects to the file, which needs no credential. */
export function downloadFile(authenticate: Authenticate): Handler {
  return (simulator, exchange) => {
    authenticate(exchange)
    const { name = '' } = exchange.params
    if (!simulator.files.has(name)) throw refuse(404, 'Requested entity was not found.')
    const location = `http://${exchange.request.headers.host}/files/${name}`
    throw new Refusal({ status: 302, body: {}, headers: { location } })
  }
}

function find(authenticate: Authenticate, simulator: Simulator, exchange: Exchange): Generation {
  authenticate(exchange)
  return findGeneration(simulator, exchange.params.id ?? '', {
    refuseMissing: () => refuse(404, 'Operation not found.'),
    refuse: refuseFailure,
  })
}

function nameOf({ id, model }: Generation): string {
  return `models/${model}/operations/${id}`
}

function presentOperation(simulator: Simulator, exchange: Exchange, generation: Generation) {
  const name = nameOf(generation)
  const status = statusOf(generation, simulator.clock.now())
  if (status.state === 'queued' || status.state === 'running') return { name }
  if (status.state === 'failed' && !status.isRefused) {
    return { name, done: true, error: { code: 13, message: failedMessage } }
  }
  const type = 'type.googleapis.com/google.ai.generativelanguage.v1beta.PredictLongRunningResponse'
  if (status.state === 'failed') {
    const refused = { raiMediaFilteredCount: 1, raiMediaFilteredReasons: [refusedMessage] }
    return { name, done: true, response: { '@type': type, generateVideoResponse: refused } }
  }
  const base = `http://${exchange.request.headers.host}/gemini/v1beta/files`
  const generatedSamples = filesOf(simulator, generation).map(file => ({
    video: { uri: `${base}/${file}:download?alt=media` },
  }))
  return { name, done: true, response: { '@type': type, generateVideoResponse: { generatedSamples } } }
}
