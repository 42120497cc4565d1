import { type Static, type TSchema, Type } from 'typebox'
import { open, optional } from './shapes.ts'

/** Maximum sizes of a request's lists. Errors name the list and its limit. */
export const chatBounds = {
  messages: 10_000,
  /** Fields of the request and of its metadata. */
  fields: 200,
  /** Parts of all messages together. */
  parts: 20_000,
  /** Calls of all messages together. */
  calls: 20_000,
  tools: 2_000,
} as const

/**
 * Marks the end of a cached prefix. It is sent only to vendors whose clients mark prefixes. Other vendors cache
 * automatically.
 */
export const CacheControl = Type.Object(
  { type: Type.Literal('ephemeral'), ttl: optional(Type.Enum(['5m', '1h'])) },
  open,
)
const cacheable = { cache_control: optional(CacheControl) }

export const TextPart = Type.Object({ type: Type.Literal('text'), text: Type.String(), ...cacheable }, open)

export const ImagePart = Type.Object(
  {
    type: Type.Literal('image_url'),
    image_url: Type.Object({ url: Type.String({ minLength: 1 }), detail: optional(Type.String()) }, open),
    ...cacheable,
  },
  open,
)

/** Audio in base64. */
export const AudioPart = Type.Object(
  {
    type: Type.Literal('input_audio'),
    input_audio: Type.Object({ data: Type.String({ minLength: 1 }), format: Type.String() }, open),
    ...cacheable,
  },
  open,
)

/** A document: `file_data` is a data URI, `file_url` a URL, and `file_id` the ID of a file that the vendor stores. */
export const FilePart = Type.Object(
  {
    type: Type.Literal('file'),
    file: Type.Object(
      {
        filename: optional(Type.String()),
        file_data: optional(Type.String()),
        file_url: optional(Type.String()),
        file_id: optional(Type.String()),
      },
      open,
    ),
    ...cacheable,
  },
  open,
)

/** A part of another type, which only some vendors support. */
export const OtherPart = Type.Object({ type: Type.String(), ...cacheable }, open)

type AnyPart =
  | Static<typeof TextPart>
  | Static<typeof ImagePart>
  | Static<typeof AudioPart>
  | Static<typeof FilePart>
  | Static<typeof OtherPart>

/** A part of a known type must have that type's fields; a part of another type may have any. */
export const ContentPart = Type.Unsafe<AnyPart>(
  shapedByType(OtherPart, { text: TextPart, image_url: ImagePart, input_audio: AudioPart, file: FilePart }),
)

export const ToolCall = Type.Object(
  {
    id: Type.String({ minLength: 1 }),
    type: Type.Optional(Type.Literal('function')),
    function: Type.Object({ name: Type.String({ minLength: 1 }), arguments: Type.String() }, open),
    ...cacheable,
  },
  open,
)

/** A call of a custom tool with free text. Only some vendors support such tools. */
export const CustomToolCall = Type.Object(
  {
    id: Type.String({ minLength: 1 }),
    type: Type.Literal('custom'),
    custom: Type.Object({ name: Type.String({ minLength: 1 }), input: Type.String() }, open),
    ...cacheable,
  },
  open,
)

/** Thinking that the vendor has signed and expects back in its turn. It is never sent to other vendors. */
export const ThinkingBlock = Type.Union([
  Type.Object({ type: Type.Literal('thinking'), thinking: Type.String(), signature: Type.String() }, open),
  Type.Object({ type: Type.Literal('redacted_thinking'), data: Type.String() }, open),
])

export type ContentPart = Static<typeof ContentPart>
export type ToolCall = Static<typeof ToolCall>
export type CustomToolCall = Static<typeof CustomToolCall>
export type ThinkingBlock = Static<typeof ThinkingBlock>
export type CacheControl = Static<typeof CacheControl>

/**
 * Returns a schema for objects with a `type`. A type listed in `shapes` must match its schema; other types must match
 * only `others`.
 */
export function shapedByType(others: TSchema, shapes: Record<string, TSchema>): Record<string, unknown> {
  const branches = Object.entries(shapes).map(([type, shape]) => ({
    if: { properties: { type: { const: type } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: shape,
  }))
  return { ...others, allOf: branches }
}
