import type { Exchange } from '../../server/exchange.ts'
import { startAnswer } from '../../server/faults.ts'
import { isRecord, type Json, type JsonRecord } from '../../server/json.ts'
import { sendStream, sendWhole } from '../../server/send.ts'
import { readShape } from '../../server/shape.ts'
import { filesOf, readFile, urlOf } from '../media/files.ts'
import { checkFailed, finishGeneration, submitGeneration } from '../media/generation.ts'
import { makeSound, soundTypes } from '../media/make-files.ts'
import { parseSize, type Size } from '../media/sizes.ts'
import type { Handler, Simulator } from '../simulator.ts'
import type { ChatHost } from './chat.ts'
import { refuse, refuseMismatch, refuseModel } from './errors.ts'
import { refuseContentType } from './request.ts'
import { imageShapes, speechShape, traitsOf } from './shape.ts'

/** Whether a model is a classic one: `dall-e-3`, `fresco-2`. */
function isClassic(model: unknown): boolean {
  return /^(dall-e|fresco)/.test(String(model))
}

/** Handles `POST /v1/images/generations`. */
export function generateImages(host: ChatHost): Handler {
  return async (simulator, exchange) => {
    const caller = await host.authenticate(exchange, simulator)
    const { json } = exchange.body
    const shape = imageShapes.generation[isRecord(json) && isClassic(json.model) ? 'classic' : 'latest']
    await answerImages(simulator, exchange, { host, caller, read: readShape(shape, json, refuseMismatch) })
  }
}

/** Handles `POST /v1/images/edits`, a form with 1 to 16 images. */
export function editImages(host: ChatHost): Handler {
  return async (simulator, exchange) => {
    const caller = await host.authenticate(exchange, simulator)
    const { fields, files } = await readForm(exchange)
    const body = { ...fields, ...(fields.n !== undefined && { n: Number(fields.n) }) }
    const shape = imageShapes.edit[isClassic(fields.model) ? 'classic' : 'latest']
    const read = readShape(shape, body, refuseMismatch)
    const images = files.get('image') ?? []
    if (images.length === 0) {
      const message = "Missing required parameter: 'image'."
      throw refuse(400, message, { param: 'image', code: 'missing_required_parameter' })
    }
    if (images.length > 16) throw refuse(400, 'At most 16 images can be edited.', { param: 'image' })
    for (const image of images) checkImage(image, 'image')
    await answerImages(simulator, exchange, { host, caller, read })
  }
}

interface ImageRequest {
  readonly model: string
  readonly prompt: string
  readonly n?: number | null | undefined
  readonly size?: string | null | undefined
  readonly quality?: string | null | undefined
  readonly response_format?: string | null | undefined
}

async function answerImages(
  simulator: Simulator,
  exchange: Exchange,
  { host, caller, read }: { host: ChatHost; caller: string; read: ImageRequest },
): Promise<void> {
  const { model, prompt } = read
  if (traitsOf(model).isMissing) throw refuseModel(model)
  const size = parseSize(read.size) ?? { width: 1024, height: 1024 }
  const { generation, fault } = await submitGeneration(simulator, exchange, {
    ...{ caller, model, prompt, refuse: host.refuseFailure },
    product: { kind: 'image', size, count: read.n ?? 1 },
  })
  await finishGeneration(exchange, generation)
  if (fault?.name === 'refusal') {
    const message = 'Your request was rejected by the safety system.'
    throw refuse(400, message, { code: 'moderation_blocked', type: 'image_generation_user_error' })
  }
  checkFailed(generation, host.refuseFailure)
  const isInline = !isClassic(model) || read.response_format === 'b64_json'
  const data = filesOf(simulator, generation).map((name): JsonRecord => {
    const file = simulator.files.get(name)
    if (isInline && file) return { b64_json: readFile(file).toString('base64') }
    return { url: urlOf(exchange, name), revised_prompt: 'A picture of the prompt.' }
  })
  const body = { created: Math.floor(simulator.clock.now() / 1000), data, ...detailsOf(read, size) }
  const headers = host.presentHeaders(exchange)
  await sendWhole(exchange, { headers, body, errorBody: host.errorInAnswer, fault })
}

/** The fields that only the latest models return. */
function detailsOf({ model, prompt, quality }: ImageRequest, { width, height }: Size) {
  if (isClassic(model)) return {}
  const imageTokens = Math.round((width * height) / 1_000)
  const textTokens = Math.ceil(prompt.length / 4)
  return {
    background: 'opaque',
    output_format: 'png',
    quality: quality ?? 'auto',
    size: `${width}x${height}`,
    usage: {
      input_tokens: textTokens,
      input_tokens_details: { text_tokens: textTokens, image_tokens: 0 },
      output_tokens: imageTokens,
      total_tokens: textTokens + imageTokens,
    },
  }
}

const secondsPerCharacter = 0.06

/** Handles `POST /v1/audio/speech`, which streams the sound. */
export function createSpeech(host: ChatHost): Handler {
  return async (simulator, exchange) => {
    await host.authenticate(exchange, simulator)
    const { model, input, response_format, speed } = readShape(
      speechShape,
      exchange.body.json,
      refuseMismatch,
    )
    if (traitsOf(model).isMissing) throw refuseModel(model)
    const answering = { model, text: input, refuse: host.refuseFailure }
    const fault = await startAnswer(simulator, exchange, answering)
    if (fault?.name === 'refusal') {
      const message = 'Your request was rejected by the safety system.'
      throw refuse(400, message, { code: 'content_policy_violation' })
    }
    if (fault?.name === 'fail')
      throw host.refuseFailure({ kind: 'status', status: fault.status, model, retryAfterMs: 1000 })
    const headers = host.presentHeaders(exchange)
    if (fault?.name === 'error-frame')
      return sendWhole(exchange, { headers, body: {}, errorBody: host.errorInAnswer, fault })
    const format = response_format ?? 'mp3'
    const seconds = Math.max(0.1, (input.length * secondsPerCharacter) / (speed ?? 1))
    await sendStream(simulator, exchange, {
      headers: { ...headers, 'content-type': soundTypes[format] },
      frames: makeSound(format, seconds),
      brokenFrame: Buffer.from('not a sound'),
      errorFrame: Buffer.alloc(0),
      fault,
    })
  }
}

/** A parsed form: text fields, and files by field name. */
interface Form {
  readonly fields: JsonRecord
  readonly files: ReadonlyMap<string, readonly Buffer[]>
}

/** Parses `multipart/form-data`. `image[]` and `image` are the same field. */
export async function readForm({ request, body }: Exchange): Promise<Form> {
  const type = request.headers['content-type'] ?? ''
  if (!type.startsWith('multipart/form-data')) throw refuseContentType(type, 'multipart/form-data')
  const response = new Response(new Uint8Array(body.bytes), { headers: { 'content-type': type } })
  const form = await response.formData().catch(() => {
    throw refuse(400, 'Could not parse multipart form')
  })
  const fields = new Map<string, Json>()
  const files = new Map<string, Buffer[]>()
  for (const [field, value] of form) {
    const name = field.replace(/\[\]$/, '')
    if (typeof value === 'string') fields.set(name, value)
    else files.set(name, [...(files.get(name) ?? []), Buffer.from(await value.arrayBuffer())])
  }
  return { fields: Object.fromEntries(fields), files }
}

const signatures = ['\x89PNG\r\n\x1a\n', '\xff\xd8\xff', 'RIFF']

/** Throws unless a file is PNG, JPEG or WebP. */
export function checkImage(file: Buffer, param: string): void {
  if (signatures.some(signature => file.toString('latin1', 0, signature.length) === signature)) return
  const message = `Invalid file '${param}': unsupported mimetype ('application/octet-stream'). Supported file formats are 'image/jpeg', 'image/png', and 'image/webp'.`
  throw refuse(400, message, { param, code: 'unsupported_file_mimetype' })
}
