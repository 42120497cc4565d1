import { z } from 'zod'
import { type Exchange, Refusal } from '../../server/exchange.ts'
import { sendWhole } from '../../server/send.ts'
import { readShape } from '../../server/shape.ts'
import { filesOf } from '../media/files.ts'
import { findGeneration, submitGeneration } from '../media/generate.ts'
import { failedMessage, type Generation, refusedMessage, standingOf } from '../media/generation.ts'
import { sizeOf } from '../media/sizes.ts'
import type { Handler, Simulator } from '../simulator.ts'
import { refuse, refuseFailure, refuseIssue, refuseModel } from './errors.ts'
import { traitsOf } from './shape.ts'

type Authenticate = (exchange: Exchange) => string

const image = z.strictObject({
  bytesBase64Encoded: z.base64().min(1),
  mimeType: z.string().startsWith('image/'),
})
const instance = z.strictObject({
  prompt: z.string().min(1),
  image: image.nullish(),
  lastFrame: image.nullish(),
  referenceImages: z.array(z.strictObject({ image, referenceType: z.enum(['asset', 'style']) })).nullish(),
})
const bodyShape = z.strictObject({
  instances: z.array(instance).length(1),
  parameters: z
    .strictObject({
      aspectRatio: z.enum(['16:9', '9:16', '4:3', '1:1', '3:4', '21:9', 'adaptive']).nullish(),
      durationSeconds: z.int().min(1).max(60).nullish(),
      resolution: z.enum(['720p', '1080p', '2K', '4k']).nullish(),
      sampleCount: z.int().min(1).max(4).nullish(),
      seed: z.int().min(0).nullish(),
      negativePrompt: z.string().nullish(),
      personGeneration: z.enum(['dont_allow', 'allow_adult', 'allow_all']).nullish(),
      generateAudio: z.boolean().nullish(),
    })
    .nullish(),
})

/** POST …/models/{model}:predictLongRunning: starts a video and names its operation. */
export function startOperation(authenticate: Authenticate): Handler {
  return async (simulator, exchange) => {
    const caller = authenticate(exchange)
    const { model = '' } = exchange.params
    if (traitsOf(model).isMissing) throw refuseModel(model)
    const { instances, parameters } = readShape(bodyShape, exchange.body.json, refuseIssue)
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
    await sendWhole(exchange, { body: JSON.stringify({ name: nameOf(generation) }), fault })
  }
}

/** GET …/models/{model}/operations/{id}. */
export function readOperation(authenticate: Authenticate): Handler {
  return (simulator, exchange) => {
    const generation = find(authenticate, simulator, exchange)
    return sendWhole(exchange, { body: JSON.stringify(presentOperation(simulator, exchange, generation)) })
  }
}

/** GET …/files/{name}:download: redirects to where the file is, which takes no credential, as the vendor does. */
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
  const standing = standingOf(generation, simulator.clock.now())
  if (standing.state === 'queued' || standing.state === 'running') return { name }
  if (standing.state === 'failed' && !standing.isRefused) {
    return { name, done: true, error: { code: 13, message: failedMessage } }
  }
  const type = 'type.googleapis.com/google.ai.generativelanguage.v1beta.PredictLongRunningResponse'
  if (standing.state === 'failed') {
    const refused = { raiMediaFilteredCount: 1, raiMediaFilteredReasons: [refusedMessage] }
    return { name, done: true, response: { '@type': type, generateVideoResponse: refused } }
  }
  const base = `http://${exchange.request.headers.host}/gemini/v1beta/files`
  const generatedSamples = filesOf(simulator, generation).map(file => ({
    video: { uri: `${base}/${file}:download?alt=media` },
  }))
  return { name, done: true, response: { '@type': type, generateVideoResponse: { generatedSamples } } }
}
