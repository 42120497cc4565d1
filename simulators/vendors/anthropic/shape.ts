import { z } from 'zod'
import { anyRecord, anything, oneOf, tagged } from '../../server/shape.ts'

/** Makes a message the whole error, without the path of the field. */
const whole = (error: string) => ({ error, params: { isWhole: true } })
const boolean = z.boolean().optional()
const share = z.number().min(0).max(1).optional()
const hasText = (text: string) => text.trim() !== ''

/** A breakpoint of the prompt cache. */
const cache_control = tagged('ephemeral', { ttl: z.enum(['5m', '1h']).optional() }).nullish()

const base64Pattern = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
/** Unpadded base64 is valid too. */
const isBase64 = (data: string) =>
  data !== '' && base64Pattern.test(data.padEnd(Math.ceil(data.length / 4) * 4, '='))
const base64Of = (media_type: z.ZodType) =>
  tagged('base64', { media_type, data: z.string() }).refine(({ data }) => isBase64(data), {
    error: 'invalid base64 data',
    path: ['base64'],
  })
const url = z
  .string()
  .refine(text => URL.canParse(text), { error: 'Input should be a valid URL', abort: true })
  .refine(text => new URL(text).protocol === 'https:', 'Only HTTPS URLs are supported.')
const urlSource = tagged('url', { url })
const fileSource = z.object({ type: z.literal('file'), file_id: z.string() })
const textSource = tagged('text', { media_type: z.enum(['text/plain']), data: z.string() })
const imageTypes = z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])

const blank = whole('messages: text content blocks must contain non-whitespace text')
const nonEmptyText = z
  .string()
  .refine(text => text !== '', {
    ...whole('messages: text content blocks must be non-empty'),
    abort: true,
  })
  .refine(hasText, blank)
const textBlock = tagged('text', { text: nonEmptyText, citations: anything, cache_control })
const imageBlock = tagged('image', {
  source: oneOf(base64Of(imageTypes), urlSource, fileSource),
  transformations: anything,
  cache_control,
})
const documentBlock = tagged('document', {
  source: oneOf(base64Of(z.enum(['application/pdf'])), urlSource, textSource, fileSource),
  ...{ title: anything, context: anything, citations: anything, cache_control },
})
const toolUseBlock = tagged('tool_use', {
  id: patternOf(/^[a-zA-Z0-9_-]+$/),
  name: z
    .string()
    .refine(name => name !== '' && name.length <= 200, 'String should have 1 to 200 characters'),
  input: anyRecord,
  ...{ caller: anything, toolset_name: anything, cache_control },
})
const toolResultBlock = tagged('tool_result', {
  tool_use_id: z.string(),
  content: contentOf(oneOf(textBlock, imageBlock, documentBlock)).optional(),
  is_error: boolean,
  ...{ toolset_name: anything, cache_control },
})
/** The simulator does not verify signatures. It refuses a signature that starts with `foreign`. */
const thinkingBlock = tagged('thinking', {
  thinking: z.string(),
  signature: z.string(),
  cache_control,
}).refine(({ signature }) => !signature.startsWith('foreign'), 'Invalid `signature` in `thinking` block')
const redactedBlock = tagged('redacted_thinking', { data: z.string(), cache_control })

const block = oneOf(
  ...([textBlock, imageBlock, documentBlock, toolUseBlock] as const),
  ...([toolResultBlock, thinkingBlock, redactedBlock] as const),
)
const content = contentOf(block)
export type WireContent = z.output<typeof content>
export type WireBlock = z.output<typeof block>

/** A list of blocks, or a string, which is short for one text block. */
function contentOf<Block extends z.ZodType>(blocks: Block) {
  return z.union([z.string().refine(text => text === '' || hasText(text), blank), z.array(blocks)])
}

function patternOf(pattern: RegExp) {
  return z.string().regex(pattern, `String should match pattern '${pattern.source}'`)
}

const tool = z.strictObject({
  type: z
    .unknown()
    .refine(type => type == null || type === 'custom', 'The simulator supports custom tools only.')
    .optional(),
  name: patternOf(/^[a-zA-Z0-9_-]{1,128}$/),
  description: z.string().optional(),
  input_schema: anyRecord,
  strict: boolean,
  cache_control,
  ...{ eager_input_streaming: anything, input_examples: anything },
  ...{ defer_loading: anything, allowed_callers: anything },
})

const disable_parallel_tool_use = boolean
const toolChoice = oneOf(
  tagged('auto', { disable_parallel_tool_use }),
  tagged('any', { disable_parallel_tool_use }),
  tagged('tool', { disable_parallel_tool_use, name: z.string() }),
  tagged('none', {}),
)
const thinking = oneOf(
  z.object({ type: z.literal('enabled'), budget_tokens: z.int().min(1024) }),
  z.object({ type: z.literal('adaptive') }),
  z.object({ type: z.literal('disabled') }),
  z.object({ type: z.literal('between_tools') }),
)

const maxOutputTokens = 128_000
const tooManyTokens = `exceeds ${maxOutputTokens}, which is the maximum allowed number of output tokens`

/** The fields of a request. `request.ts` checks rules across fields. */
export const messageShape = z.strictObject({
  model: z.string(),
  max_tokens: z
    .int()
    .min(0)
    .refine(count => count <= maxOutputTokens, tooManyTokens),
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
  thinking: thinking.optional(),
  output_config: z
    .strictObject({
      effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish(),
      format: tagged('json_schema', { schema: anyRecord }).nullish(),
    })
    .optional(),
  stop_sequences: z
    .array(
      z.string().refine(hasText, whole('stop_sequences: each stop sequence must contain non-whitespace')),
    )
    .optional(),
  ...{ container: anything, inference_geo: anything, speed: anything, diagnostics: anything },
})
export type MessageBody = z.output<typeof messageShape>

/** The abilities of a model, which follow from the version in its name: `lyric-5`, `claude-opus-4-8`. */
export interface ModelTraits {
  readonly isMissing: boolean
  /** Whether the version is at least 4.7: effort, schemas and system messages, but no sampling and no prefill. */
  readonly isRecent: boolean
  /** Minimum length of a cached prefix, in tokens. */
  readonly minimumCacheTokens: number
}

export function traitsOf(model: string): ModelTraits {
  const [, major = '5', minor = '0'] = /-(\d+)(?:-(\d{1,2}))?(?![\dw])/.exec(model) ?? []
  const isRecent = Number(major) > 4 || (major === '4' && Number(minor) >= 7)
  const minimumCacheTokens = /grand|swift|opus|haiku/.test(model) ? 4096 : isRecent ? 1024 : 2048
  return { isMissing: /(^|\.)missing-/.test(model), isRecent, minimumCacheTokens }
}
