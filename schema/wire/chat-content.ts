import { type Static, type TSchema, Type } from 'typebox'
import { nullable, open, optional } from './shapes.ts'

/** How much of each a request may hold. Every list of a request is bounded, and the error names list and bound. */
export const chatBounds = {
  messages: 10_000,
  /** Of a request itself, and of its metadata. */
  fields: 200,
  /** Parts of all messages together. */
  parts: 20_000,
  /** Calls of all messages together. */
  calls: 20_000,
  tools: 2_000,
} as const

/** Ends a cached prefix here, for vendors whose clients mark it. Others cache by themselves and are not told. */
export const CacheControl = Type.Object(
  { type: Type.Literal('ephemeral'), ttl: Type.Optional(nullable(Type.Enum(['5m', '1h']))) },
  open,
)
const marked = { cache_control: Type.Optional(nullable(CacheControl)) }

export const TextPart = Type.Object({ type: Type.Literal('text'), text: Type.String(), ...marked }, open)

export const ImagePart = Type.Object(
  {
    type: Type.Literal('image_url'),
    image_url: Type.Object(
      { url: Type.String({ minLength: 1 }), detail: Type.Optional(nullable(Type.String())) },
      open,
    ),
    ...marked,
  },
  open,
)

/** Sound, in base64. */
export const AudioPart = Type.Object(
  {
    type: Type.Literal('input_audio'),
    input_audio: Type.Object({ data: Type.String({ minLength: 1 }), format: Type.String() }, open),
    ...marked,
  },
  open,
)

/** A document: `file_data` is a data URI, `file_url` an address, `file_id` a file that is stored with the vendor. */
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
    ...marked,
  },
  open,
)

/** Parts that are only for vendors who know them. */
export const OtherPart = Type.Object({ type: Type.String(), ...marked }, open)

type AnyPart =
  | Static<typeof TextPart>
  | Static<typeof ImagePart>
  | Static<typeof AudioPart>
  | Static<typeof FilePart>
  | Static<typeof OtherPart>

/** A part whose type is known must have that type's shape, so that every vendor is sent the same or nothing. */
export const ContentPart = Type.Unsafe<AnyPart>(
  shapedByType(OtherPart, { text: TextPart, image_url: ImagePart, input_audio: AudioPart, file: FilePart }),
)

export const ToolCall = Type.Object(
  {
    id: Type.String({ minLength: 1 }),
    type: Type.Optional(Type.Literal('function')),
    function: Type.Object({ name: Type.String({ minLength: 1 }), arguments: Type.String() }, open),
    ...marked,
  },
  open,
)

/** A call of a tool that takes free text, which only vendors who know such tools make. */
export const CustomToolCall = Type.Object(
  {
    id: Type.String({ minLength: 1 }),
    type: Type.Literal('custom'),
    custom: Type.Object({ name: Type.String({ minLength: 1 }), input: Type.String() }, open),
    ...marked,
  },
  open,
)

/** A thought as its vendor signed it, to be sent back with the turn that it belongs to; others are not shown it. */
export const ThinkingBlock = Type.Union([
  Type.Object({ type: Type.Literal('thinking'), thinking: Type.String(), signature: Type.String() }, open),
  Type.Object({ type: Type.Literal('redacted_thinking'), data: Type.String() }, open),
])

export type ContentPart = Static<typeof ContentPart>
export type ToolCall = Static<typeof ToolCall>
export type CustomToolCall = Static<typeof CustomToolCall>
export type ThinkingBlock = Static<typeof ThinkingBlock>
export type CacheControl = Static<typeof CacheControl>

/** A schema of what has `type`: a type that is named has its own shape, every other only that of `others`. */
export function shapedByType(others: TSchema, shapes: Record<string, TSchema>): Record<string, unknown> {
  const branches = Object.entries(shapes).map(([type, shape]) => ({
    if: { properties: { type: { const: type } } },
    // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
    then: shape,
  }))
  return { ...others, allOf: branches }
}
