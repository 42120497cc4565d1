import { z } from 'zod'
import { anyRecord, anything, oneOf, tagged } from '../../server/shape.ts'

/** The message of a bound is the kind of number, which OpenAI's error names. */
const decimal = (minimum: number, maximum: number) =>
  z.number().min(minimum, 'decimal').max(maximum, 'decimal').nullish()
const integer = (minimum: number, maximum = Number.MAX_SAFE_INTEGER) =>
  z.int().min(minimum, 'integer').max(maximum, 'integer').nullish()
const text = (maxLength = Infinity) => z.string().max(maxLength).nullish()
const boolean = z.boolean().nullish()
const choice = <const Values extends readonly string[]>(...values: Values) => z.enum(values).nullish()
const listOf = <Item extends z.ZodType>(item: Item) => z.array(item).min(1)

const namePattern = /^[a-zA-Z0-9_-]+$/
const name = z
  .string()
  .max(64)
  .regex(namePattern, {
    error: `: string does not match pattern. Expected a string that matches the pattern '${namePattern.source}'.`,
  })
const url = z.string().regex(/^(https?:\/\/|data:image\/(png|jpeg|jpg|gif|webp);base64,)/, {
  error: '. Expected a valid URL, but got a value with an invalid format.',
})

const prompt_cache_breakpoint = anything
const textPart = tagged('text', { text: z.string(), prompt_cache_breakpoint })
const refusalPart = tagged('refusal', { refusal: z.string(), prompt_cache_breakpoint })
const imagePart = tagged('image_url', {
  image_url: z.object({ url, detail: choice('auto', 'low', 'high', 'original') }),
  prompt_cache_breakpoint,
})
const audioPart = tagged('input_audio', {
  input_audio: z.object({ format: z.enum(['wav', 'mp3']), data: z.string() }),
  prompt_cache_breakpoint,
})
const filePart = tagged('file', { file: anyRecord, prompt_cache_breakpoint })
const contentOf = <Part extends z.ZodType>(part: Part) => z.union([z.string(), listOf(part)])
const textContent = contentOf(oneOf(textPart))

const id = z.string().max(40)
const call = oneOf(
  z.object({ type: z.literal('function'), id, function: z.object({ name, arguments: z.string() }) }),
  z.object({ type: z.literal('custom'), id, custom: z.object({ name, input: z.string() }) }),
)

const from = <Role extends string, Fields extends z.ZodRawShape>(role: Role, fields: Fields) =>
  z.strictObject({ role: z.literal(role), ...fields })
const message = z.discriminatedUnion('role', [
  from('system', { content: textContent, name: anything }),
  from('developer', { content: textContent, name: anything }),
  from('user', { content: contentOf(oneOf(textPart, imagePart, audioPart, filePart)), name: anything }),
  from('assistant', {
    content: contentOf(oneOf(textPart, refusalPart)).nullish(),
    tool_calls: listOf(call).nullish(),
    ...{ name: anything, refusal: anything, audio: anything, annotations: anything, function_call: anything },
  }),
  from('tool', { content: textContent, tool_call_id: z.string() }),
  from('function', { content: textContent, name: z.string() }),
])
export type Message = z.output<typeof message>

const functionDetails = z.object({
  name,
  description: text(),
  parameters: anyRecord.nullish(),
  strict: boolean,
})
export type FunctionDetails = z.output<typeof functionDetails>

/** Custom tools are accepted, but the simulated model never calls them. */
const tool = oneOf(
  z.object({ type: z.literal('function'), function: functionDetails }),
  z.object({
    type: z.literal('custom'),
    custom: z.strictObject({ name, description: anything, format: anything }),
  }),
)

const named = z.object({ name: z.string() })
const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  oneOf(
    z.object({ type: z.literal('function'), function: named }),
    z.object({ type: z.literal('custom'), custom: named }),
    z.object({
      type: z.literal('allowed_tools'),
      allowed_tools: z.object({
        mode: choice('auto', 'required'),
        tools: listOf(z.object({ function: named })).nullish(),
      }),
    }),
  ),
])

const jsonSchema = z.object({ name: z.string(), schema: anyRecord.nullish(), strict: boolean })
const responseFormat = oneOf(
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({ type: z.literal('json_schema'), json_schema: jsonSchema }),
)

/** The fields of a chat request. Null means absent. `request.ts` checks rules across fields. */
export const chatShape = z.strictObject({
  model: z.string(),
  messages: listOf(message),
  stream: boolean,
  stream_options: z.object({ include_usage: boolean, include_obfuscation: boolean }).nullish(),
  n: integer(1, 128),
  stop: z.union([z.string(), listOf(z.string()).max(4)]).nullish(),
  seed: integer(Number.MIN_SAFE_INTEGER),
  max_tokens: integer(1),
  max_completion_tokens: integer(1),
  temperature: decimal(0, 2),
  top_p: decimal(0, 1),
  presence_penalty: decimal(-2, 2),
  frequency_penalty: decimal(-2, 2),
  logprobs: boolean,
  top_logprobs: integer(0, 20),
  logit_bias: z.record(z.string(), decimal(-100, 100)).nullish(),
  reasoning_effort: choice('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'),
  verbosity: choice('low', 'medium', 'high'),
  response_format: responseFormat.nullish(),
  tools: listOf(tool).nullish(),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: boolean,
  functions: listOf(functionDetails).nullish(),
  function_call: z.union([z.enum(['none', 'auto']), named]).nullish(),
  user: text(),
  safety_identifier: text(64),
  prompt_cache_key: text(64),
  prompt_cache_retention: choice('in_memory', '24h'),
  service_tier: choice('auto', 'default', 'flex', 'scale', 'priority', 'fast'),
  store: boolean,
  metadata: z.record(z.string(), text(512)).nullish(),
  modalities: listOf(anything).nullish(),
  ...{ audio: anything, moderation: anything, prediction: anything },
  ...{ prompt_cache_options: anything, web_search_options: anything },
})
export type ChatBody = z.output<typeof chatShape>

const imageFields = { model: z.string().min(1), user: text(), n: integer(1, 10) }
const classicImageFields = {
  ...imageFields,
  prompt: z.string().min(1).max(4_000),
  response_format: choice('url', 'b64_json'),
}
const latestImageFields = {
  ...imageFields,
  prompt: z.string().min(1).max(32_000),
  background: choice('transparent', 'opaque', 'auto'),
  output_compression: integer(0, 100),
  output_format: choice('png', 'jpeg', 'webp'),
  quality: choice('low', 'medium', 'high', 'auto'),
  size: choice('1024x1024', '1536x1024', '1024x1536', 'auto'),
}

/** Image requests. Classic models return URLs unless `b64_json` is requested; the latest models return base64. */
export const imageShapes = {
  generation: {
    classic: z.strictObject({
      ...classicImageFields,
      n: integer(1, 1),
      quality: choice('standard', 'hd'),
      style: choice('vivid', 'natural'),
      size: choice('1024x1024', '1792x1024', '1024x1792'),
    }),
    latest: z.strictObject({ ...latestImageFields, moderation: choice('low', 'auto') }),
  },
  edit: {
    classic: z.strictObject({ ...classicImageFields, size: choice('256x256', '512x512', '1024x1024') }),
    latest: z.strictObject({ ...latestImageFields, input_fidelity: choice('high', 'low') }),
  },
}

const voices = [
  ...(['alloy', 'ash', 'ballad', 'coral', 'echo', 'fable', 'nova', 'onyx', 'sage', 'shimmer'] as const),
  ...(['verse', 'marin', 'cedar'] as const),
]
export const speechShape = z.strictObject({
  model: z.string().min(1),
  input: z.string().min(1).max(4_096),
  voice: z.enum(voices),
  instructions: text(4_096),
  response_format: choice('mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'),
  speed: decimal(0.25, 4),
  stream_format: choice('audio'),
})

export const videoShape = z.strictObject({
  model: z.string().min(1).default('matinee-2'),
  prompt: z.string().min(1).max(32_000),
  seconds: z.enum(['4', '8', '12']).default('4'),
  size: z.enum(['720x1280', '1280x720', '1024x1792', '1792x1024']).default('720x1280'),
})

/** The abilities of a model, which follow from its name: `gpt-sim`, `o4-mini`, `reasoning-sim`. */
export interface ModelTraits {
  readonly isMissing: boolean
  /** Whether the model accepts `reasoning_effort` and `max_completion_tokens` instead of sampling and `max_tokens`. */
  readonly isReasoning: boolean
  /** Whether the model reasons if the request sets no effort. */
  readonly reasonsByDefault: boolean
}

export function traitsOf(model: string): ModelTraits {
  const reasonsByDefault = /^(o\d|reasoning-|atlas-(large|thinker))/.test(model)
  return {
    isMissing: model.startsWith('missing-'),
    isReasoning: reasonsByDefault || model.startsWith('gpt-5'),
    reasonsByDefault,
  }
}
