import { type Static, Type } from 'typebox'
import { ChatFlags } from './chat-flags.ts'
import { Generation, RequestRules } from './generation.ts'
import { ChatPrices, MediaPrices } from './prices.ts'
import { Queue } from './queue.ts'
import { Adapter, type ChatAdapter, type MediaAdapter } from './vendor.ts'

/**
 * What a model does, and the modality under which the model list shows it. Embeddings have no modality of their
 * own: like chat they read text. The id of a model begins with its task: `reference-to-video.<slug>`.
 */
export const modalityOfTask = {
  chat: 'chat',
  'text-embedding': 'chat',
  'text-to-image': 'image',
  'image-to-image': 'image',
  'image-edit': 'image',
  'image-upscale': 'image',
  'image-reframe': 'image',
  'image-remix': 'image',
  'text-to-video': 'video',
  'image-to-video': 'video',
  'reference-to-video': 'video',
  'text-to-speech': 'audio',
  'text-to-music': 'audio',
  'text-to-sound': 'audio',
} as const

export type Task = keyof typeof modalityOfTask

/** The tasks of the models that each endpoint of media serves. */
export const tasksOfMedia = {
  image: ['text-to-image', 'image-to-image', 'image-edit', 'image-upscale', 'image-reframe', 'image-remix'],
  video: ['text-to-video', 'image-to-video', 'reference-to-video'],
  speech: ['text-to-speech'],
  audio: ['text-to-music', 'text-to-sound'],
} as const satisfies Record<string, readonly Task[]>
export type Modality = (typeof modalityOfTask)[Task]

/** The values of the `task` filter of the model list, in this order. */
export const modalities = ['video', 'image', 'audio', 'chat'] as const satisfies readonly Modality[]

const closed = { additionalProperties: false }

/**
 * The JSON Schema of the parameters that a model accepts, as clients see it. By default it is an object without
 * additional properties.
 */
export const ParameterSchema = Type.Object({
  type: Type.Literal('object', { default: 'object' }),
  properties: Type.Record(Type.String(), Type.Record(Type.String(), Type.Unknown())),
  required: Type.Array(Type.String(), { default: [] }),
  additionalProperties: Type.Boolean({ default: false }),
})

const upstream = {
  model: Type.String({ minLength: 1 }),
  adapter: Type.Optional(Adapter),
  address: Type.Optional(Type.String({ pattern: '^https://' })),
}

const declaration = {
  /** Catalogue id, `<task>.<model_slug>`. */
  id: Type.String({ pattern: '^[a-z-]+\\.[a-z0-9][a-z0-9.-]*$' }),
  /** The id used in inference requests, `<vendor>/<model_name>`. */
  model: Type.String({ pattern: '^[a-z_]+/[a-z0-9][a-z0-9.-]*$' }),
  name: Type.String({ minLength: 1 }),
  description: Type.String({ minLength: 1 }),
  tags: Type.Array(Type.String(), { default: [] }),
  /** On the curated list of recommended models. */
  popular: Type.Boolean({ default: false }),
  /** `false` takes the model out of the lists and refuses requests for it. */
  active: Type.Boolean({ default: true }),
  /** The day on which the model joined the catalogue. */
  created: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
  /** Where a request is sent: the vendor's name for the model, and what differs from the vendor's settings. */
  upstream: Type.Object(upstream, closed),
  /** Time limits of calls to this model, where they differ from the configured ones. */
  timeouts: Type.Optional(
    Type.Object(
      {
        first_byte_ms: Type.Optional(Type.Integer({ minimum: 10 })),
        idle_ms: Type.Optional(Type.Integer({ minimum: 10 })),
        total_ms: Type.Optional(Type.Integer({ minimum: 10 })),
      },
      closed,
    ),
  ),
  /** Catalogue ids to try, in this order, when the vendor of a chat model cannot answer; of other models none. */
  fallbacks: Type.Array(Type.String(), { default: [] }),
}

/** A chat model as an operator writes it. Its parameters follow from its flags. */
export const ChatDeclaration = Type.Object({ ...declaration, chat: ChatFlags, prices: ChatPrices }, closed)

/** An embedding model: limits and prices are declared as for chat, parameters are its own. */
export const EmbeddingDeclaration = Type.Object(
  { ...declaration, parameters: ParameterSchema, chat: ChatFlags, prices: ChatPrices },
  closed,
)

/** An image, video or audio model as an operator writes it. */
export const MediaDeclaration = Type.Object(
  {
    ...declaration,
    upstream: Type.Object(
      {
        ...upstream,
        /** How the parameters become the vendor's request, where they are not sent as they are. */
        request: Type.Optional(RequestRules),
        /** The vendor's queue, for the adapter `queue`. */
        queue: Type.Optional(Queue),
      },
      closed,
    ),
    generation: Generation,
    parameters: ParameterSchema,
    prices: MediaPrices,
  },
  closed,
)

export type ChatDeclaration = Static<typeof ChatDeclaration>
export type EmbeddingDeclaration = Static<typeof EmbeddingDeclaration>
export type MediaDeclaration = Static<typeof MediaDeclaration>
export type ParameterSchema = Static<typeof ParameterSchema>

/** A model: what was declared, completed by what follows from it. Plain JSON throughout. */
export type CatalogueEntry = ChatEntry | MediaEntry

export interface ChatEntry extends Omit<ChatDeclaration, 'upstream'> {
  task: Task
  modality: 'chat'
  /** The vendor's label. */
  provider: string
  upstream: Upstream<ChatAdapter>
  parameters: ParameterSchema
}

export interface MediaEntry extends Omit<MediaDeclaration, 'upstream'> {
  task: Task
  modality: Exclude<Modality, 'chat'>
  /** The vendor's label. */
  provider: string
  upstream: Upstream<MediaAdapter> & Pick<MediaDeclaration['upstream'], 'request' | 'queue'>
}

export interface Upstream<Adapter> {
  adapter: Adapter
  /** Absent where it is the vendor's own address. */
  address?: string | undefined
  model: string
}
