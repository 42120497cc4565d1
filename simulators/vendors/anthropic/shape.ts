import { z } from 'zod'
import { anyRecord, anything } from '../../server/shape.ts'

/** An error that is not about one field: its message is the whole error. */
const whole = (error: string) => ({ error, params: { isWhole: true } })
const text = z.string().optional()
const boolean = z.boolean().optional()
const share = z.number().min(0).max(1).optional()

/** Marks the end of what the prompt cache keeps. */
const cache_control = z
  .strictObject({ type: z.enum(['ephemeral']), ttl: z.enum(['5m', '1h']).optional() })
  .nullish()

const base64Pattern = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
/** Unpadded data is taken as well. */
const isBase64 = (data: string) =>
  data !== '' && base64Pattern.test(data.padEnd(Math.ceil(data.length / 4) * 4, '='))
const base64Of = (media_type: z.ZodType) =>
  z
    .strictObject({ type: z.literal('base64'), media_type, data: z.string() })
    .refine(({ data }) => isBase64(data), { error: 'invalid base64 data', path: ['base64'] })
const urlSource = z.strictObject({
  type: z.literal('url'),
  url: z
    .string()
    .refine(url => URL.canParse(url), { error: 'Input should be a valid URL', abort: true })
    .refine(url => new URL(url).protocol === 'https:', 'Only HTTPS URLs are supported.'),
})
const fileSource = z.object({ type: z.literal('file'), file_id: z.string() })
const imageTypes = z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])
const textSource = z.strictObject({
  type: z.literal('text'),
  media_type: z.enum(['text/plain']),
  data: z.string(),
})

const textBlock = z.strictObject({
  type: z.literal('text'),
  text: z
    .string()
    .refine(text => text !== '', {
      ...whole('messages: text content blocks must be non-empty'),
      abort: true,
    })
    .refine(hasText, whole('messages: text content blocks must contain non-whitespace text')),
  citations: anything,
  cache_control,
})
const imageBlock = z.strictObject({
  type: z.literal('image'),
  source: z.discriminatedUnion('type', [base64Of(imageTypes), urlSource, fileSource]),
  transformations: anything,
  cache_control,
})
const documentBlock = z.strictObject({
  type: z.literal('document'),
  source: z.discriminatedUnion('type', [
    base64Of(z.enum(['application/pdf'])),
    urlSource,
    textSource,
    fileSource,
  ]),
  title: anything,
  context: anything,
  citations: anything,
  cache_control,
})
const toolUseBlock = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
  name: z
    .string()
    .refine(name => name !== '' && name.length <= 200, 'String should have 1 to 200 characters'),
  input: anyRecord,
  caller: anything,
  toolset_name: anything,
  cache_control,
})
const toolResultBlock = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: contentOf(z.discriminatedUnion('type', [textBlock, imageBlock, documentBlock])).optional(),
  is_error: boolean,
  toolset_name: anything,
  cache_control,
})
/** Signatures are not verified: one that begins with `foreign` is refused. */
const thinkingBlock = z
  .strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string(), cache_control })
  .refine(({ signature }) => !signature.startsWith('foreign'), 'Invalid `signature` in `thinking` block')
const redactedBlock = z.strictObject({
  type: z.literal('redacted_thinking'),
  data: z.string(),
  cache_control,
})

const block = z.discriminatedUnion('type', [
  textBlock,
  imageBlock,
  documentBlock,
  toolUseBlock,
  toolResultBlock,
  thinkingBlock,
  redactedBlock,
])
const content = contentOf(block)
export type WireContent = z.output<typeof content>
export type WireBlock = z.output<typeof block>

/** A string is short for one text block. */
function contentOf<Block extends z.ZodType>(blocks: Block) {
  const error = whole('messages: text content blocks must contain non-whitespace text')
  return z.union([z.string().refine(text => text === '' || hasText(text), error), z.array(blocks)])
}

function hasText(text: string): boolean {
  return text.trim() !== ''
}

/** Tools of the vendor's own are not simulated. */
const tool = z.strictObject({
  type: z
    .unknown()
    .refine(type => type == null || type === 'custom', {
      error: issue => `the simulator has no tool ${JSON.stringify(issue.input)}`,
    })
    .optional(),
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
  description: text,
  input_schema: anyRecord,
  strict: boolean,
  cache_control,
  eager_input_streaming: anything,
  input_examples: anything,
  defer_loading: anything,
  allowed_callers: anything,
})

const disable_parallel_tool_use = boolean
const toolChoice = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('auto'), disable_parallel_tool_use }),
  z.strictObject({ type: z.literal('any'), disable_parallel_tool_use }),
  z.strictObject({ type: z.literal('tool'), disable_parallel_tool_use, name: z.string() }),
  z.strictObject({ type: z.literal('none') }),
])

const maxOutputTokens = 128_000

/** What a request may hold, field by field; `request.ts` checks how the fields go together. */
export const messageShape = z.strictObject({
  model: z.string(),
  max_tokens: z
    .int()
    .min(0)
    .refine(count => count <= maxOutputTokens, {
      error: issue =>
        `${issue.input} > ${maxOutputTokens}, which is the maximum allowed number of output tokens`,
    }),
  stream: boolean,
  metadata: z.strictObject({ user_id: anything }).optional(),
  service_tier: z.enum(['auto', 'standard_only']).optional(),
  temperature: share,
  top_p: share,
  top_k: z.int().min(0).optional(),
  system: content.optional(),
  messages: z
    .array(z.strictObject({ role: z.enum(['user', 'assistant', 'system']), content }))
    .refine(list => list.length > 0, whole('messages: at least one message is required')),
  tools: z.array(tool).optional(),
  tool_choice: toolChoice.optional(),
  cache_control,
  thinking: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('enabled'), budget_tokens: z.int().min(1024) }),
      z.object({ type: z.literal('adaptive') }),
      z.object({ type: z.literal('disabled') }),
      z.object({ type: z.literal('between_tools') }),
    ])
    .optional(),
  output_config: z
    .strictObject({
      effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish(),
      format: z.strictObject({ type: z.enum(['json_schema']), schema: anyRecord }).nullish(),
    })
    .optional(),
  stop_sequences: z
    .array(
      z.string().refine(hasText, whole('stop_sequences: each stop sequence must contain non-whitespace')),
    )
    .optional(),
  container: anything,
  inference_geo: anything,
  speed: anything,
  diagnostics: anything,
})
export type MessageBody = z.output<typeof messageShape>

/** What a model can do follows from its name, whose first number is its generation: `lyric-5`, `claude-opus-4-8`. */
export interface ModelTraits {
  readonly isMissing: boolean
  /** Since 4.7: no sampling and no prefill, but effort, schemas and system messages in the middle. */
  readonly isRecent: boolean
  /** Shorter prefixes are never cached. */
  readonly minimumCacheTokens: number
}

export function traitsOf(model: string): ModelTraits {
  const [, major = '5', minor = '0'] = /-(\d+)(?:-(\d{1,2}))?(?![\dw])/.exec(model) ?? []
  const isRecent = Number(major) > 4 || (major === '4' && Number(minor) >= 7)
  const minimumCacheTokens = /grand|swift|opus|haiku/.test(model) ? 4096 : isRecent ? 1024 : 2048
  return { isMissing: /(^|\.)missing-/.test(model), isRecent, minimumCacheTokens }
}
