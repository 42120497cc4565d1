import { type Static, Type } from 'typebox'
import { open, optional } from './shapes.ts'

/** Maximum number of inputs, which is the limit of the vendors. */
export const embeddingsBounds = { inputs: 2_048 } as const

/**
 * Requests of `POST /v1/embeddings`, in OpenAI's format. Fields that are not declared are accepted and
 * ignored.
 */
export const EmbeddingsRequest = Type.Object(
  {
    model: Type.String({ minLength: 1 }),
    /** A text or its tokens, or a list of these with one embedding for each. The protocol checks the items. */
    input: Type.Union([Type.String(), Type.Array(Type.Unknown())]),
    dimensions: optional(Type.Integer({ minimum: 1 })),
    encoding_format: optional(Type.Enum(['float', 'base64'])),
    user: optional(Type.String({ maxLength: 512 })),
  },
  open,
)

export type EmbeddingsRequest = Static<typeof EmbeddingsRequest>

/** One embedding: numbers, or 32-bit floats in base64. */
export interface Embedding {
  object: 'embedding'
  index: number
  embedding: number[] | string
}

export interface EmbeddingsBody {
  object: 'list'
  data: Embedding[]
  model: string
  /** `cost` is the charge, in US dollars. */
  usage: { prompt_tokens: number; total_tokens: number; cost: number }
}
