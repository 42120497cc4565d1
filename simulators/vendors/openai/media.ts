import type { Exchange } from '../../server/exchange.ts'
import type { JsonRecord } from '../../server/json.ts'
import { readShape } from '../../server/shape.ts'
import type { ChatHost } from '../answer-chat.ts'
import { spoilBody, spoilFrames, startAnswer } from '../faults.ts'
import { filesOf, readImages, urlOf } from '../media/files.ts'
import { finishGeneration } from '../media/generation.ts'
import { makeSound, soundTypes } from '../media/make-files.ts'
import { parseSize, type Size } from '../media/sizes.ts'
import type { Handler } from '../simulator.ts'
import { refuse, refuseMismatch, refuseParam } from './host.ts'
import { imageShapes, speechShape } from './shape.ts'

/** Whether a model is a classic one: `dall-e-3`, `fresco-2`. */
function isClassic(model: unknown): boolean {
  return /^(dall-e|fresco)/.test(String(model))
}

/** Handles `POST /v1/images/generations`, and `/images/edits`, a form with 1 to 16 images. */
export function answerImages(host: ChatHost): Handler {
  return async (simulator, exchange) => {
    const caller = await host.authenticate(exchange, simulator)
    const isEdit = exchange.path.endsWith('/edits')
    const body = isEdit ? await readImageForm(exchange) : exchange.json
    const shape = isClassic(Object(body).model) ? imageShapes.classic : imageShapes.latest
    const read = readShape<typeof shape>(shape, body, refuseMismatch)
    const { model, prompt } = read
    if (isClassic(model) && !isEdit && (read.n ?? 1) > 1)
      throw refuseParam('This model generates one image per request.', 'n')
    const size = parseSize(read.size) ?? { width: 1024, height: 1024 }
    const { generation, fault } = await finishGeneration(simulator, exchange, {
      ...{ caller, model, prompt, refuse: host.refuseFailure },
      product: { kind: 'image', size, count: read.n ?? 1 },
    })
    if (fault?.name === 'refusal') {
      const message = 'Your request was rejected by the safety system.'
      throw refuse(400, message, { code: 'moderation_blocked', type: 'image_generation_user_error' })
    }
    const isInline = !isClassic(model) || ('response_format' in read && read.response_format === 'b64_json')
    const revised_prompt = 'A picture of the prompt.'
    const data = isInline
      ? readImages(generation).map(b64_json => ({ b64_json }))
      : filesOf(generation).map(name => ({ url: urlOf(exchange, name), revised_prompt }))
    const created = Math.floor(simulator.clock.now() / 1000)
    return spoilBody({ body: { created, data, ...detailsOf(read, size) } }, fault, host.errorInAnswer)
  }
}

/** The fields that only the latest models return. */
function detailsOf(
  { model, prompt, quality }: { model: string; prompt: string; quality?: string | null | undefined },
  { width, height }: Size,
) {
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
    const read = readShape(speechShape, exchange.json, refuseMismatch)
    const { model, input, response_format: format, speed } = read
    const answering = { model, text: input, refuse: host.refuseFailure }
    const fault = await startAnswer(simulator, exchange, answering)
    const seconds = Math.max(0.1, (input.length * secondsPerCharacter) / (speed ?? 1))
    const frames = makeSound(format ?? 'mp3', seconds)
    return {
      headers: { 'content-type': soundTypes[format ?? 'mp3'] },
      frames: spoilFrames(simulator, exchange, { frames, fault, parts: faultyParts }),
    }
  }
}

const faultyParts = { brokenFrame: Buffer.from('not a sound'), errorFrame: Buffer.alloc(0) }

async function readImageForm(exchange: Exchange): Promise<JsonRecord> {
  const { fields, files } = await readForm(exchange, 'image')
  if (files.length === 0 || files.length > 16 || !files.every(isImage))
    throw refuseParam('1 to 16 PNG, JPEG or WebP images are required.', 'image')
  return { ...fields, ...(fields.n !== undefined && { n: Number(fields.n) }) }
}

/** Parses `multipart/form-data`: its texts, and the files of one field, which can be named `image` or `image[]`. */
export async function readForm(
  { request, bytes }: Exchange,
  fileField: string,
): Promise<{ fields: Record<string, string>; files: Buffer[] }> {
  const headers = { 'content-type': request.headers['content-type'] ?? '' }
  const form = await new Response(new Uint8Array(bytes), { headers }).formData().catch(() => {
    throw refuse(400, 'The request must be JSON or multipart/form-data.')
  })
  const fields: [string, string][] = []
  const files: Buffer[] = []
  for (const [name, value] of form) {
    if (typeof value === 'string') fields.push([name, value])
    else if (name.replace(/\[\]$/, '') === fileField) files.push(Buffer.from(await value.arrayBuffer()))
  }
  return { fields: Object.fromEntries(fields), files }
}

const signatures = ['\x89PNG\r\n\x1a\n', '\xff\xd8\xff', 'RIFF']

/** Whether a file is PNG, JPEG or WebP. */
export function isImage(file: Buffer): boolean {
  return signatures.some(signature => file.toString('latin1', 0, signature.length) === signature)
}
