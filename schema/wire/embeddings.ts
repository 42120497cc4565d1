import { type Static, Type } from 'typebox'
import { open, optional } from './shapes.ts'

/** How much a request may hold, as the vendors have it. */
export const embeddingsBounds = { inputs: 2_048 } as const

/** `POST /v1/embeddings` in OpenAI's words. Other fields are accepted and mean nothing. */
export const EmbeddingsRequest = Type.Object(
  {
    model: Type.String({ minLength: 1 }),
    /** A text or its tokens, or a list of either: each has an embedding of its own. What is in the list is checked apart. */
    input: Type.Union([Type.String(), Type.Array(Type.Unknown())]),
    dimensions: optional(Type.Integer({ minimum: 1 })),
    encoding_format: optional(Type.Enum(['float', 'base64'])),
    user: optional(Type.String({ maxLength: 512 })),
  },
  open,
)

export type EmbeddingsRequest = Static<typeof EmbeddingsRequest>

/** One embedding: numbers, or the same as 32-bit floats in base64. */
export interface Embedding {
  object: 'embedding'
  index: number
  embedding: number[] | string
}

export interface EmbeddingsBody {
  object: 'list'
  data: Embedding[]
  model: string
  usage: { prompt_tokens: number; total_tokens: number }
}
