import { z } from 'zod'
import {
  anyRecord,
  anything,
  boolean,
  choice,
  decimal,
  integer,
  listOrText,
  oneOf,
  tagged,
  text,
} from '../../server/shape.ts'

const required = z.string().min(1)
const name = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/)
const url = z
  .string()
  .regex(/^(https?:\/\/|data:image\/(png|jpeg|jpg|gif|webp);base64,)/, 'Expected a valid URL.')

const partOf = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  tagged(type, { ...fields, prompt_cache_breakpoint: anything })
const textPart = partOf('text', { text: z.string() })
const refusalPart = partOf('refusal', { refusal: z.string() })
const imagePart = partOf('image_url', {
  image_url: z.object({ url, detail: choice('auto', 'low', 'high', 'original') }),
})
const audioPart = partOf('input_audio', {
  input_audio: z.object({ format: z.enum(['wav', 'mp3']), data: z.string() }),
})
const filePart = partOf('file', { file: anyRecord })
/** A list of parts, or a string, which is short for one text part. */
const contentOf = <Part extends z.ZodType>(part: Part) =>
  listOrText(z.array(part).min(1), content => [{ type: 'text', text: content }])
const textContent = contentOf(oneOf(textPart))

const id = z.string().max(40)
const call = oneOf(
  tagged('function', { id, function: z.object({ name, arguments: z.string() }) }),
  tagged('custom', { id, custom: z.object({ name, input: z.string() }) }),
)

const from = <Role extends string, Fields extends z.ZodRawShape>(role: Role, fields: Fields) =>
  z.strictObject({ role: z.literal(role), name: anything, ...fields })
const message = z.discriminatedUnion('role', [
  from('system', { content: textContent }),
  from('developer', { content: textContent }),
  from('user', { content: contentOf(oneOf(textPart, imagePart, audioPart, filePart)) }),
  from('assistant', {
    content: contentOf(oneOf(textPart, refusalPart)).nullish(),
    tool_calls: z.array(call).min(1).nullish(),
    ...{ refusal: anything, audio: anything, annotations: anything, function_call: anything },
  }),
  from('tool', { content: textContent, tool_call_id: z.string() }),
])
export type Message = z.output<typeof message>

const functionDetails = z.object({
  name,
  description: text(),
  parameters: anyRecord.nullish(),
  strict: boolean,
})
const named = z.object({ name: z.string() })
/** The simulated model never calls custom tools. */
const tool = oneOf(
  z.object({ type: z.literal('function'), function: functionDetails }),
  z.object({ type: z.literal('custom'), custom: named }),
)
const toolChoice = z.preprocess(
  value => (typeof value === 'string' ? { type: value } : value),
  oneOf(
    z.object({ type: z.enum(['none', 'auto', 'required', 'custom']) }),
    z.object({ type: z.literal('function'), function: named }),
    z.object({
      type: z.literal('allowed_tools'),
      allowed_tools: z.object({
        mode: z.enum(['auto', 'required']),
        tools: z.array(z.object({ function: named })).min(1),
      }),
    }),
  ),
)

const jsonSchema = z.object({ name: z.string(), schema: anyRecord.nullish(), strict: boolean })
const responseFormat = oneOf(
  z.object({ type: z.enum(['text', 'json_object']) }),
  z.object({ type: z.literal('json_schema'), json_schema: jsonSchema }),
)

/** The fields of a chat request. Null means absent. `request.ts` checks rules across fields. */
export const chatShape = z.strictObject({
  model: required,
  messages: z.array(message).min(1),
  stream: boolean,
  stream_options: z.object({ include_usage: boolean, include_obfuscation: boolean }).nullish(),
  n: integer(1, 128),
  stop: listOrText(z.array(z.string()).max(4), stop => [stop]).nullish(),
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
  tools: z.array(tool).min(1).nullish(),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: boolean,
  functions: z.array(functionDetails).min(1).nullish(),
  user: text(),
  safety_identifier: text(64),
  prompt_cache_key: text(64),
  prompt_cache_retention: choice('in_memory', '24h'),
  service_tier: choice('auto', 'default', 'flex', 'scale', 'priority', 'fast'),
  store: boolean,
  metadata: z.record(z.string(), text(512)).nullish(),
  ...{ function_call: anything, modalities: anything, audio: anything, moderation: anything },
  ...{ prediction: anything, prompt_cache_options: anything, web_search_options: anything },
})
export type ChatBody = z.output<typeof chatShape>

/** Image requests. Classic models return URLs unless `b64_json` is requested; the latest models return base64. */
export const imageShapes = {
  classic: z.strictObject({
    model: required,
    prompt: required.max(4_000),
    ...{ user: text(), n: integer(1, 10), quality: choice('standard', 'hd') },
    ...{ style: choice('vivid', 'natural'), response_format: choice('url', 'b64_json') },
    size: choice('256x256', '512x512', '1024x1024', '1792x1024', '1024x1792'),
  }),
  latest: z.strictObject({
    model: required,
    prompt: required.max(32_000),
    ...{ user: text(), n: integer(1, 10), quality: choice('low', 'medium', 'high', 'auto') },
    ...{ background: choice('transparent', 'opaque', 'auto'), output_compression: integer(0, 100) },
    ...{ output_format: choice('png', 'jpeg', 'webp'), moderation: choice('low', 'auto') },
    ...{ size: choice('1024x1024', '1536x1024', '1024x1536', 'auto'), input_fidelity: choice('high', 'low') },
  }),
}

const voices = [
  ...(['alloy', 'ash', 'ballad', 'coral', 'echo', 'fable', 'nova', 'onyx', 'sage', 'shimmer'] as const),
  ...(['verse', 'marin', 'cedar'] as const),
]
export const speechShape = z.strictObject({
  model: required,
  input: required.max(4_096),
  voice: z.enum(voices),
  instructions: text(4_096),
  response_format: choice('mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'),
  speed: decimal(0.25, 4),
  stream_format: choice('audio'),
})

export const videoShape = z.strictObject({
  model: required,
  prompt: required.max(32_000),
  seconds: z.enum(['4', '8', '12']).default('4'),
  size: z.enum(['720x1280', '1280x720', '1024x1792', '1792x1024']).default('720x1280'),
})

/** The abilities of a model, which follow from its name: `gpt-sim`, `o4-mini`, `reasoning-sim`. */
export interface ModelTraits {
  /** Whether the model accepts `reasoning_effort` and `max_completion_tokens` instead of sampling and `max_tokens`. */
  readonly isReasoning: boolean
  /** Whether the model reasons if the request sets no effort. */
  readonly reasonsByDefault: boolean
}

export function traitsOf(model: string): ModelTraits {
  const reasonsByDefault = /^(o\d|reasoning-|atlas-(large|thinker))/.test(model)
  return { isReasoning: reasonsByDefault || model.startsWith('gpt-5'), reasonsByDefault }
}
