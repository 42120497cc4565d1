import { type Static, Type } from 'typebox'
import { CacheControl } from './chat-content.ts'
import { open, optional } from './shapes.ts'

/**
 * Requests of `POST /v1/messages`. The request's schema declares only the `type` of content blocks and tools. Each type
 * has its own schema, which is checked when the block or tool is translated, so that an error names the exact field.
 * Undeclared fields are accepted and ignored, because clients send new fields early.
 */

/** Maximum sizes of a request's lists. */
export const messagesBounds = { messages: 10_000, blocks: 20_000, tools: 2_000 } as const

/** A content block, or the source of one, of any type. */
export const Block = Type.Object({ type: Type.String() }, open)

const Content = Type.Union([Type.String(), Type.Array(Block)])

export const Turn = Type.Object({ role: Type.Enum(['user', 'assistant', 'system']), content: Content }, open)

/** A tool. A client's own tool has a name and a schema. A tool that Anthropic defines has a type with a date. */
export const AnyTool = Type.Object({ type: optional(Type.String()), name: optional(Type.String()) }, open)

const Format = Type.Object({ type: Type.String(), schema: optional(Type.Unknown()) }, open)

export const MessagesRequest = Type.Object(
  {
    model: Type.String({ minLength: 1 }),
    messages: Type.Array(Turn, { minItems: 1, maxItems: messagesBounds.messages }),
    max_tokens: optional(Type.Integer({ minimum: 1 })),
    system: optional(Content),
    stream: optional(Type.Boolean()),
    stop_sequences: optional(Type.Array(Type.String())),
    temperature: optional(Type.Number({ minimum: 0, maximum: 2 })),
    top_p: optional(Type.Number({ minimum: 0, maximum: 1 })),
    tools: optional(Type.Array(AnyTool, { maxItems: messagesBounds.tools })),
    tool_choice: optional(
      Type.Object(
        {
          type: Type.Enum(['auto', 'any', 'tool', 'none']),
          name: optional(Type.String()),
          disable_parallel_tool_use: optional(Type.Boolean()),
        },
        open,
      ),
    ),
    thinking: optional(
      Type.Object(
        {
          type: Type.String(),
          budget_tokens: optional(Type.Integer({ minimum: 1 })),
          display: optional(Type.String()),
        },
        open,
      ),
    ),
    output_config: optional(Type.Object({ effort: optional(Type.String()), format: optional(Format) }, open)),
    /** The earlier name of `output_config.format`. */
    output_format: optional(Format),
    metadata: optional(Type.Object({ user_id: optional(Type.String()) }, open)),
  },
  open,
)

const cacheable = { cache_control: optional(CacheControl) }

export const TextBlock = Type.Object({ type: Type.Literal('text'), text: Type.String(), ...cacheable }, open)

export const ImageBlock = Type.Object({ type: Type.Literal('image'), source: Block, ...cacheable }, open)

export const DocumentBlock = Type.Object(
  {
    type: Type.Literal('document'),
    source: Block,
    title: optional(Type.String()),
    context: optional(Type.String()),
    ...cacheable,
  },
  open,
)

export const SearchResultBlock = Type.Object(
  {
    type: Type.Literal('search_result'),
    source: Type.String(),
    title: Type.String(),
    content: Type.Array(TextBlock),
  },
  open,
)

export const ToolResultBlock = Type.Object(
  {
    type: Type.Literal('tool_result'),
    tool_use_id: Type.String({ minLength: 1 }),
    content: optional(Content),
    is_error: optional(Type.Boolean()),
    ...cacheable,
  },
  open,
)

export const ToolUseBlock = Type.Object(
  {
    type: Type.Literal('tool_use'),
    id: Type.String({ minLength: 1 }),
    name: Type.String({ minLength: 1 }),
    input: optional(Type.Record(Type.String(), Type.Unknown())),
    ...cacheable,
  },
  open,
)

export const ThinkingBlock = Type.Object(
  { type: Type.Literal('thinking'), thinking: Type.String(), signature: optional(Type.String()) },
  open,
)

export const RedactedThinkingBlock = Type.Object(
  { type: Type.Literal('redacted_thinking'), data: Type.String() },
  open,
)

export const Base64Source = Type.Object(
  { media_type: Type.String({ minLength: 1 }), data: Type.String({ minLength: 1 }) },
  open,
)
export const UrlSource = Type.Object({ url: Type.String({ minLength: 1 }) }, open)
export const TextSource = Type.Object({ data: Type.String() }, open)
export const ContentSource = Type.Object({ content: Content }, open)

export const ClientTool = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 128 }),
    description: optional(Type.String()),
    input_schema: Type.Record(Type.String(), Type.Unknown()),
    strict: optional(Type.Boolean()),
    ...cacheable,
  },
  open,
)

export type Block = Static<typeof Block>
export type Turn = Static<typeof Turn>
export type AnyTool = Static<typeof AnyTool>
export type MessagesRequest = Static<typeof MessagesRequest>
