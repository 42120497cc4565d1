import { z } from 'zod'
import { type Exchange, pause } from '../../server/exchange.ts'
import type { Json, JsonRecord } from '../../server/json.ts'
import { sendWhole } from '../../server/send.ts'
import { readShape } from '../../server/shape.ts'
import { addressOf, filesOf, readFile } from '../media/files.ts'
import { submitGeneration } from '../media/generate.ts'
import { parseSize } from '../media/sizes.ts'
import type { Handler, Simulator } from '../simulator.ts'
import type { ChatHost } from './chat.ts'
import { refuse, refuseIssue, refuseModel } from './errors.ts'
import { checkImage, readForm } from './form.ts'
import { traitsOf } from './shape.ts'

const prompt = (most: number) => z.string().min(1).max(most)
const count = (most: number) => z.int('an integer').min(1, 'integer').max(most, 'integer').nullish()
const user = z.string().nullish()
const model = z.string().min(1)

/** The classic models: one image a call of `dall-e-3`-like ones, by address unless base64 is asked for. */
const classicShape = z.strictObject({
  model,
  user,
  prompt: prompt(4_000),
  n: count(1),
  quality: z.enum(['standard', 'hd']).nullish(),
  style: z.enum(['vivid', 'natural']).nullish(),
  size: z.enum(['1024x1024', '1792x1024', '1024x1792']).nullish(),
  response_format: z.enum(['url', 'b64_json']).nullish(),
})

const classicEditShape = z.strictObject({
  model,
  user,
  prompt: prompt(4_000),
  n: count(10),
  size: z.enum(['256x256', '512x512', '1024x1024']).nullish(),
  response_format: z.enum(['url', 'b64_json']).nullish(),
})

const modernFields = {
  model,
  user,
  prompt: prompt(32_000),
  n: count(10),
  background: z.enum(['transparent', 'opaque', 'auto']).nullish(),
  moderation: z.enum(['low', 'auto']).nullish(),
  output_compression: z.int('an integer').min(0, 'integer').max(100, 'integer').nullish(),
  output_format: z.enum(['png', 'jpeg', 'webp']).nullish(),
  quality: z.enum(['low', 'medium', 'high', 'auto']).nullish(),
  size: z.enum(['1024x1024', '1536x1024', '1024x1536', 'auto']).nullish(),
}

/** The later models answer in base64 alone. */
const modernShape = z.strictObject(modernFields)
const { moderation: _, ...editable } = modernFields
const modernEditShape = z.strictObject({ ...editable, input_fidelity: z.enum(['high', 'low']).nullish() })

/** Whether a model is one of the classic ones: `dall-e-3`, `fresco-2`. */
function isClassic(name: Json | undefined): boolean {
  return /^(dall-e|fresco)/.test(String(name))
}

/** POST /v1/images/generations. */
export function generateImages(host: ChatHost): Handler {
  return async (simulator, exchange) => {
    const caller = host.authenticate(exchange)
    const { json } = exchange.body
    const shape = isClassic(modelOf(json)) ? classicShape : modernShape
    const read = readShape(shape, json, refuseIssue)
    await answerImages({ simulator, exchange, host, caller }, read)
  }
}

/** POST /v1/images/edits, a form with at least one image. */
export function editImages(host: ChatHost): Handler {
  return async (simulator, exchange) => {
    const caller = host.authenticate(exchange)
    const { fields, files } = await readForm(exchange)
    const isOld = isClassic(fields.model)
    const sent = { ...fields, ...(fields.n !== undefined && { n: Number(fields.n) }) }
    const read = readShape(isOld ? classicEditShape : modernEditShape, sent, refuseIssue)
    const images = files.get('image') ?? []
    if (images.length === 0) {
      const message = "Missing required parameter: 'image'."
      throw refuse(400, message, { param: 'image', code: 'missing_required_parameter' })
    }
    if (images.length > 16) throw refuse(400, 'At most 16 images can be edited.', { param: 'image' })
    for (const image of images) checkImage(image, 'image')
    await answerImages({ simulator, exchange, host, caller }, read)
  }
}

function modelOf(body: Json | undefined): Json | undefined {
  return typeof body === 'object' && body !== null && !Array.isArray(body) ? body.model : undefined
}

interface ImageRequest {
  model: string
  prompt: string
  n?: number | null | undefined
  size?: string | null | undefined
  quality?: string | null | undefined
  response_format?: string | null | undefined
}

async function answerImages(
  {
    simulator,
    exchange,
    host,
    caller,
  }: { simulator: Simulator; exchange: Exchange; host: ChatHost; caller: string },
  read: ImageRequest,
): Promise<void> {
  if (traitsOf(read.model).isMissing) throw refuseModel(read.model)
  const size = parseSize(read.size) ?? { width: 1024, height: 1024 }
  const { generation, fault } = await submitGeneration(simulator, exchange, {
    caller,
    model: read.model,
    prompt: read.prompt,
    product: { kind: 'image', size, count: read.n ?? 1 },
    refuse: host.refuseFailure,
  })
  const waitMs = generation.endsAt - generation.startedAt
  if (Number.isFinite(waitMs) && waitMs > 0) await pause(exchange.response, waitMs)
  if (fault?.name === 'refusal') {
    const message = 'Your request was rejected by the safety system.'
    throw refuse(400, message, { code: 'moderation_blocked', type: 'image_generation_user_error' })
  }
  if (fault?.name === 'fail') throw host.refuseFailure({ ...failure, model: read.model })
  const isInline = !isClassic(read.model) || read.response_format === 'b64_json'
  const data = filesOf(simulator, generation).map(name =>
    presentImage(simulator, exchange, { name, isInline }),
  )
  const body = JSON.stringify({
    created: Math.floor(simulator.clock.now() / 1000),
    data,
    ...details(read, size),
  })
  await sendWhole(exchange, {
    headers: host.presentHeaders(exchange),
    body,
    errorBody: host.errorInAnswer,
    fault,
  })
}

const failure = { kind: 'status', status: 500, retryAfterMs: 1000 } as const

function presentImage(
  { files }: Simulator,
  exchange: Exchange,
  { name, isInline }: { name: string; isInline: boolean },
): JsonRecord {
  const file = files.get(name)
  if (isInline && file) return { b64_json: readFile(file).toString('base64') }
  return { url: addressOf(exchange, name), revised_prompt: 'A picture, as it was asked for.' }
}

/** What only the later models say. */
function details(read: ImageRequest, { width, height }: { width: number; height: number }) {
  if (isClassic(read.model)) return {}
  const imageTokens = Math.round((width * height) / 1_000)
  const textTokens = Math.ceil(read.prompt.length / 4)
  return {
    background: 'opaque',
    output_format: 'png',
    quality: read.quality ?? 'auto',
    size: `${width}x${height}`,
    usage: {
      input_tokens: textTokens,
      input_tokens_details: { text_tokens: textTokens, image_tokens: 0 },
      output_tokens: imageTokens,
      total_tokens: textTokens + imageTokens,
    },
  }
}
