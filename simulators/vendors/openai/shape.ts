import { z } from 'zod'
import { anyRecord, anything } from '../../server/shape.ts'

/** The messages name the kind of number, for the vendor's errors to repeat. Null means the same as absent. */
const decimal = (least: number, most: number) =>
  z.number('a decimal').min(least, 'decimal').max(most, 'decimal').nullish()
const integer = (least: number, most = Number.MAX_SAFE_INTEGER) =>
  z.int('an integer').min(least, 'integer').max(most, 'integer').nullish()
const text = (most = Infinity) => z.string().max(most).nullish()
const boolean = z.boolean().nullish()
const listOf = <Item extends z.ZodType>(item: Item) => z.array(item).min(1)

const namePattern = /^[a-zA-Z0-9_-]+$/
const functionName = z
  .string()
  .max(64)
  .regex(namePattern, {
    error: `: string does not match pattern. Expected a string that matches the pattern '${namePattern.source}'.`,
  })

const imageUrl = z.object({
  url: z.string().regex(/^(https?:\/\/|data:image\/(png|jpeg|jpg|gif|webp);base64,)/, {
    error: '. Expected a valid URL, but got a value with an invalid format.',
  }),
  detail: z.enum(['auto', 'low', 'high', 'original']).nullish(),
})
const prompt_cache_breakpoint = anything
const textPart = z.strictObject({ type: z.literal('text'), text: z.string(), prompt_cache_breakpoint })
const refusalPart = z.strictObject({
  type: z.literal('refusal'),
  refusal: z.string(),
  prompt_cache_breakpoint,
})
const imagePart = z.strictObject({
  type: z.literal('image_url'),
  image_url: imageUrl,
  prompt_cache_breakpoint,
})
const audio = z.object({ format: z.enum(['wav', 'mp3']), data: z.string() })
const audioPart = z.strictObject({
  type: z.literal('input_audio'),
  input_audio: audio,
  prompt_cache_breakpoint,
})
const filePart = z.strictObject({ type: z.literal('file'), file: anyRecord, prompt_cache_breakpoint })

const textContent = z.union([z.string(), listOf(z.discriminatedUnion('type', [textPart]))])
const assistantContent = z.union([z.string(), listOf(z.discriminatedUnion('type', [textPart, refusalPart]))])
const userContent = z.union([
  z.string(),
  listOf(z.discriminatedUnion('type', [textPart, imagePart, audioPart, filePart])),
])

const call = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('function'),
    id: z.string().max(40),
    function: z.object({ name: functionName, arguments: z.string() }),
  }),
  z.object({
    type: z.literal('custom'),
    id: z.string().max(40),
    custom: z.object({ name: functionName, input: z.string() }),
  }),
])

const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: textContent, name: anything }),
  z.strictObject({
    role: z.literal('assistant'),
    content: assistantContent.nullish(),
    name: anything,
    refusal: anything,
    tool_calls: listOf(call).nullish(),
    audio: anything,
    annotations: anything,
    function_call: anything,
  }),
  z.strictObject({ role: z.literal('user'), content: userContent, name: anything }),
  z.strictObject({ role: z.literal('function'), content: textContent, name: z.string() }),
  z.strictObject({ role: z.literal('tool'), content: textContent, tool_call_id: z.string() }),
  z.strictObject({ role: z.literal('developer'), content: textContent, name: anything }),
])
export type Message = z.output<typeof message>

const functionDetails = z.object({
  name: functionName,
  description: text(),
  parameters: anyRecord.nullish(),
  strict: boolean,
})
export type FunctionDetails = z.output<typeof functionDetails>

/** Tools of free text (`custom`) are taken and never called. */
const tool = z.discriminatedUnion('type', [
  z.object({ type: z.literal('function'), function: functionDetails }),
  z.object({
    type: z.literal('custom'),
    custom: z.strictObject({ name: functionName, description: anything, format: anything }),
  }),
])

const named = z.object({ name: z.string() })
const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('function'), function: named }),
    z.object({
      type: z.literal('allowed_tools'),
      allowed_tools: z.object({
        mode: z.enum(['auto', 'required']).nullish(),
        tools: listOf(z.object({ function: named })).nullish(),
      }),
    }),
    z.object({ type: z.literal('custom'), custom: named }),
  ]),
])

const responseFormat = z.discriminatedUnion('type', [
  z.object({ type: z.literal('json_object') }),
  z.object({
    type: z.literal('json_schema'),
    json_schema: z.object({ name: z.string(), schema: anyRecord.nullish(), strict: boolean }),
  }),
  z.object({ type: z.literal('text') }),
])

/** What a chat request may hold, field by field; `request.ts` checks how the fields go together. */
export const chatShape = z.strictObject({
  model: z.string(),
  temperature: decimal(0, 2),
  top_p: decimal(0, 1),
  presence_penalty: decimal(-2, 2),
  frequency_penalty: decimal(-2, 2),
  top_logprobs: integer(0, 20),
  logprobs: boolean,
  logit_bias: z.record(z.string(), decimal(-100, 100)).nullish(),
  modalities: listOf(anything).nullish(),
  user: text(),
  safety_identifier: text(64),
  prompt_cache_key: text(64),
  prompt_cache_retention: z.enum(['in_memory', '24h']).nullish(),
  verbosity: z.enum(['low', 'medium', 'high']).nullish(),
  service_tier: z.enum(['auto', 'default', 'flex', 'scale', 'priority', 'fast']).nullish(),
  store: boolean,
  metadata: z.record(z.string(), text(512)).nullish(),
  messages: listOf(message),
  stream: boolean,
  stream_options: z.object({ include_usage: boolean, include_obfuscation: boolean }).nullish(),
  functions: listOf(functionDetails).nullish(),
  function_call: z.union([z.enum(['none', 'auto']), named]).nullish(),
  tools: listOf(tool).nullish(),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: boolean,
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  max_tokens: integer(1),
  max_completion_tokens: integer(1),
  stop: z.union([z.string(), listOf(z.string()).max(4)]).nullish(),
  n: integer(1, 128),
  response_format: responseFormat.nullish(),
  seed: integer(Number.MIN_SAFE_INTEGER),
  audio: anything,
  moderation: anything,
  prediction: anything,
  prompt_cache_options: anything,
  web_search_options: anything,
})
export type ChatBody = z.output<typeof chatShape>

/** What a model can do follows from its name: `gpt-sim`, `o4-mini`, `reasoning-sim`, `atlas-thinker-2026-04`. */
export interface ModelTraits {
  readonly isMissing: boolean
  /** Takes an effort and `max_completion_tokens`, and neither sampling nor `max_tokens`. */
  readonly isReasoning: boolean
  /** Thinks also where no effort is given. */
  readonly thinksByDefault: boolean
}

export function traitsOf(model: string): ModelTraits {
  const thinksByDefault = /^(o\d|reasoning-|atlas-(large|thinker))/.test(model)
  return {
    isMissing: model.startsWith('missing-'),
    isReasoning: thinksByDefault || model.startsWith('gpt-5'),
    thinksByDefault,
  }
}
