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

const nonBlank = z.string().refine(content => content.trim() !== '', 'text must contain non-whitespace text')

/** A breakpoint of the prompt cache. */
const cache_control = tagged('ephemeral', { ttl: choice('5m', '1h') }).nullish()
const block = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  tagged(type, { ...fields, cache_control })

const base64 = (media_type: z.ZodType) =>
  tagged('base64', { media_type, data: z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/, 'invalid base64 data') })
const urlSource = tagged('url', { url: z.url({ protocol: /^https$/ }) })
const fileSource = tagged('file', { file_id: z.string() })
const textSource = tagged('text', { media_type: z.enum(['text/plain']), data: z.string() })
const imageTypes = z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])

const textBlock = block('text', { text: nonBlank, citations: anything })
const imageBlock = block('image', {
  source: oneOf(base64(imageTypes), urlSource, fileSource),
  transformations: anything,
})
const documentBlock = block('document', {
  source: oneOf(base64(z.enum(['application/pdf'])), urlSource, textSource, fileSource),
  ...{ title: anything, context: anything, citations: anything },
})
const toolUseBlock = block('tool_use', {
  id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
  name: z.string().min(1).max(200),
  input: anyRecord,
  ...{ caller: anything, toolset_name: anything },
})
const toolResultBlock = block('tool_result', {
  tool_use_id: z.string(),
  content: contentOf(oneOf(textBlock, imageBlock, documentBlock)).nullish(),
  ...{ is_error: boolean, toolset_name: anything },
})
/** The simulator does not verify signatures. It refuses a signature that starts with `foreign`. */
const thinkingBlock = block('thinking', {
  thinking: z.string(),
  signature: z.string().regex(/^(?!foreign)/, 'Invalid `signature` in `thinking` block'),
})
const redactedBlock = block('redacted_thinking', { data: z.string() })

const assistantContent = contentOf(oneOf(textBlock, toolUseBlock, thinkingBlock, redactedBlock))
const systemContent = contentOf(textBlock)
const userContent = contentOf(oneOf(textBlock, imageBlock, documentBlock, toolResultBlock))
export type WireBlock = z.output<typeof assistantContent | typeof userContent>[number]

/** A list of blocks, or a string, which is short for one text block. */
function contentOf<Block extends z.ZodType>(blocks: Block) {
  return listOrText(z.array(blocks), content => (content === '' ? [] : [{ type: 'text', text: content }]))
}

const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('user'), content: userContent }),
  z.strictObject({ role: z.literal('assistant'), content: assistantContent }),
  z.strictObject({ role: z.literal('system'), content: systemContent }),
])

const inputSchema = anyRecord.refine(
  schema => schema.type === 'object' && !['oneOf', 'allOf', 'anyOf'].some(keyword => keyword in schema),
  "Input should be of type 'object', without oneOf, allOf or anyOf at the top level",
)
const tool = z.strictObject({
  type: choice('custom'),
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
  description: text(),
  input_schema: inputSchema,
  ...{ strict: boolean, cache_control, eager_input_streaming: anything, input_examples: anything },
  ...{ defer_loading: anything, allowed_callers: anything },
})
export type Tool = z.output<typeof tool>

const disable_parallel_tool_use = boolean
const toolChoice = oneOf(
  tagged('auto', { disable_parallel_tool_use }),
  tagged('any', { disable_parallel_tool_use }),
  tagged('tool', { disable_parallel_tool_use, name: z.string() }),
  tagged('none', {}),
)
const thinking = oneOf(
  z.object({ type: z.literal('enabled'), budget_tokens: z.int().min(1024) }),
  z.object({ type: z.enum(['adaptive', 'disabled', 'between_tools']) }),
)

/** The fields of a request. `request.ts` checks rules across fields. */
export const messageShape = z.strictObject({
  model: z.string(),
  max_tokens: z.int().min(0).max(128_000),
  stream: boolean,
  metadata: z.strictObject({ user_id: anything }).optional(),
  service_tier: choice('auto', 'standard_only'),
  temperature: decimal(0, 1),
  top_p: decimal(0, 1),
  top_k: integer(0),
  system: systemContent.optional(),
  messages: z.array(message).min(1),
  tools: z.array(tool).optional(),
  tool_choice: toolChoice.optional(),
  cache_control,
  thinking: thinking.optional(),
  output_config: z
    .strictObject({
      effort: choice('low', 'medium', 'high', 'xhigh', 'max'),
      format: tagged('json_schema', { schema: anyRecord }).nullish(),
    })
    .optional(),
  stop_sequences: z.array(nonBlank).optional(),
  ...{ container: anything, inference_geo: anything, speed: anything, diagnostics: anything },
})
export type MessageBody = z.output<typeof messageShape>

/** The abilities of a model, which follow from the version in its name: `lyric-5`, `claude-opus-4-8`. */
export interface ModelTraits {
  /** Whether the version is at least 4.7: effort, schemas and system messages, but no sampling and no prefill. */
  readonly isRecent: boolean
  /** Minimum length of a cached prefix, in tokens. */
  readonly minimumCacheTokens: number
}

export function traitsOf(model: string): ModelTraits {
  const [, major = '5', minor = '0'] = /-(\d+)(?:-(\d{1,2}))?(?![\dw])/.exec(model) ?? []
  const isRecent = Number(major) > 4 || (major === '4' && Number(minor) >= 7)
  const minimumCacheTokens = /grand|swift|opus|haiku/.test(model) ? 4096 : isRecent ? 1024 : 2048
  return { isRecent, minimumCacheTokens }
}
