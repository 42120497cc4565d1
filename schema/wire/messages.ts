import { type Static, Type } from 'typebox'
import { open, optional } from './shapes.ts'

/**
 * `POST /v1/messages`, as clients of the Messages format send it (docs/clients.md). What stands in a list by its `type`
 * (content blocks, tools) is declared one by one and checked by itself, so that an error names what is wrong with it.
 * Fields that are not named here are accepted and mean nothing: clients send new ones before any vendor needs them.
 */

/** How much of each a request may hold. */
export const messagesBounds = { messages: 10_000, blocks: 20_000, tools: 2_000 } as const

/** One of a list, of which only the type is known yet. */
export const Block = Type.Object({ type: Type.String() }, open)

const Content = Type.Union([Type.String(), Type.Array(Block)])

export const Turn = Type.Object({ role: Type.Enum(['user', 'assistant', 'system']), content: Content }, open)

/** A tool of the client's own has a name and a schema; one of the vendor's has a type with a date in it. */
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
    /** The name of `output_config.format` before it had a place of its own. */
    output_format: optional(Format),
    metadata: optional(Type.Object({ user_id: optional(Type.String()) }, open)),
  },
  open,
)

/** Ends a cached prefix where it stands. */
export const CacheControl = Type.Object(
  { type: Type.Literal('ephemeral'), ttl: optional(Type.Enum(['5m', '1h'])) },
  open,
)
const marked = { cache_control: optional(CacheControl) }

export const TextBlock = Type.Object({ type: Type.Literal('text'), text: Type.String(), ...marked }, open)

export const ImageBlock = Type.Object({ type: Type.Literal('image'), source: Block, ...marked }, open)

export const DocumentBlock = Type.Object(
  {
    type: Type.Literal('document'),
    source: Block,
    title: optional(Type.String()),
    context: optional(Type.String()),
    ...marked,
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
    ...marked,
  },
  open,
)

export const ToolUseBlock = Type.Object(
  {
    type: Type.Literal('tool_use'),
    id: Type.String({ minLength: 1 }),
    name: Type.String({ minLength: 1 }),
    input: optional(Type.Record(Type.String(), Type.Unknown())),
    ...marked,
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

export const OwnTool = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 128 }),
    description: optional(Type.String()),
    input_schema: Type.Record(Type.String(), Type.Unknown()),
    strict: optional(Type.Boolean()),
    ...marked,
  },
  open,
)

export type CacheControl = Static<typeof CacheControl>
/** A thought, signed by the vendor that had it; nobody else can read it. */
export type Thought =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }
export type Block = Static<typeof Block>
export type Turn = Static<typeof Turn>
export type AnyTool = Static<typeof AnyTool>
export type MessagesRequest = Static<typeof MessagesRequest>
