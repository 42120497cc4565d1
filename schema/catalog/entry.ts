import { type Static, Type } from 'typebox'
import { ChatFlags } from './chat-flags.ts'
import { GenerationSettings, RequestRules } from './generation.ts'
import { ChatPrices, MediaPrices } from './prices.ts'
import { Queue } from './queue.ts'
import { Adapter, type ChatAdapter, type MediaAdapter } from './vendor.ts'

/**
 * The tasks of models, with the modality under which the model list shows them. Embeddings have no modality of their
 * own, because they read text like chat. A model's ID begins with its task: `reference-to-video.<slug>`.
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

export type ModelTask = keyof typeof modalityOfTask

/** The tasks of the models of each media endpoint. */
export const tasksOfMedia = {
  image: ['text-to-image', 'image-to-image', 'image-edit', 'image-upscale', 'image-reframe', 'image-remix'],
  video: ['text-to-video', 'image-to-video', 'reference-to-video'],
  speech: ['text-to-speech'],
  audio: ['text-to-music', 'text-to-sound'],
} as const satisfies Record<string, readonly ModelTask[]>
export type Modality = (typeof modalityOfTask)[ModelTask]

/** The values of the `task` filter of the model list, in this order. */
export const modalities = ['video', 'image', 'audio', 'chat'] as const satisfies readonly Modality[]

const closed = { additionalProperties: false }

/** The JSON Schema of a model's parameters for clients. By default, it is an object without additional properties. */
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

/** The public list that an entry was imported from. */
const Source = Type.Object(
  {
    from: Type.Enum(['models.dev', 'litellm']),
    /** The commit of the list, or the SHA-256 digest of the file if its commit is unknown. */
    commit: Type.String({ minLength: 1 }),
    /** The date of the list from which the entry was last changed. */
    date: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
    /** The part of the list's prices that was added to them, such as `10 %`. */
    margin: Type.Optional(Type.String({ pattern: '^\\d+(\\.\\d+)? %$' })),
    /** The digest of what the import wrote. If it differs, an operator has changed the entry since. */
    digest: Type.String({ pattern: '^[0-9a-f]{12}$' }),
  },
  closed,
)

/** The form of an alias in inference requests. */
export const aliasShape = { pattern: '^[A-Za-z0-9][A-Za-z0-9._:/-]*$', maxLength: 200 }

const declaration = {
  /** The catalogue ID, `<task>.<model_slug>`. */
  id: Type.String({ pattern: '^[a-z-]+\\.[a-z0-9][a-z0-9.-]*$', maxLength: 200 }),
  /** The ID in inference requests, `<vendor>/<model_name>`. */
  model: Type.String({ pattern: '^[a-z_]+/[a-z0-9][a-z0-9.-]*$', maxLength: 200 }),
  /** Other IDs in inference requests, beside the IDs that follow from the vendor's aliases: `gpt-5.4`. */
  aliases: Type.Optional(Type.Array(Type.String(aliasShape))),
  name: Type.String({ minLength: 1, maxLength: 200 }),
  description: Type.String({ minLength: 1 }),
  tags: Type.Array(Type.String(), { default: [] }),
  /** Whether the model is on the curated list of recommended models. */
  popular: Type.Boolean({ default: false }),
  /** Whether the model is active. An inactive model is not listed, and requests for it are refused. */
  active: Type.Boolean({ default: true }),
  /** The day on which the model was added to the catalogue. */
  created: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
  /** The upstream: the vendor's name for the model, and settings that differ from the vendor's. */
  upstream: Type.Object(upstream, closed),
  /** Timeouts of calls to this model that differ from the configured ones. */
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
  /** The catalogue IDs of fallback models of a chat model, in order. Other models have none. */
  fallbacks: Type.Array(Type.String(), { default: [] }),
  /** Present if `npm run catalog:import` wrote the entry (docs/models.md). */
  source: Type.Optional(Source),
}

/** Another vendor that serves a chat model. Its wire format must support the model's flags. */
const Route = Type.Object(
  {
    /** The vendor's label. */
    vendor: Type.String({ pattern: '^vendor_[a-r]$' }),
    upstream: Type.Object(upstream, closed),
    /** The prices of this route; by default the model's. */
    prices: Type.Optional(ChatPrices),
  },
  closed,
)

/** The declaration of a chat model. Its parameters follow from its flags. */
export const ChatDeclaration = Type.Object(
  {
    ...declaration,
    chat: ChatFlags,
    prices: ChatPrices,
    /** Other vendors that serve the model. The model's own vendor is its first route. */
    routes: Type.Optional(Type.Array(Route, { minItems: 1, maxItems: 10 })),
    /** The order of the routes: as declared, by the price of the request, or by measured health. */
    route_by: Type.Optional(Type.Enum(['catalogue', 'price', 'health'])),
  },
  closed,
)

/** The declaration of an embedding model. Limits and prices are like those for chat; it declares its parameters. */
export const EmbeddingDeclaration = Type.Object(
  { ...declaration, parameters: ParameterSchema, chat: ChatFlags, prices: ChatPrices },
  closed,
)

/** The declaration of an image, video or audio model. */
export const MediaDeclaration = Type.Object(
  {
    ...declaration,
    upstream: Type.Object(
      {
        ...upstream,
        /** The rules that convert the parameters to the vendor's request, if they are not sent unchanged. */
        request: Type.Optional(RequestRules),
        /** The vendor's queue, for the adapter `queue`. */
        queue: Type.Optional(Queue),
      },
      closed,
    ),
    generation: GenerationSettings,
    parameters: ParameterSchema,
    prices: MediaPrices,
  },
  closed,
)

export type ChatDeclaration = Static<typeof ChatDeclaration>
export type EmbeddingDeclaration = Static<typeof EmbeddingDeclaration>
export type MediaDeclaration = Static<typeof MediaDeclaration>
export type ParameterSchema = Static<typeof ParameterSchema>

/** A model: its declaration, completed with derived fields. It is plain JSON. */
export type CatalogueEntry = ChatEntry | MediaEntry

export interface ChatEntry extends Omit<ChatDeclaration, 'upstream'> {
  task: ModelTask
  modality: 'chat'
  /** The vendor's label. */
  provider: string
  /**
   * Every alias of the model, including the aliases that follow from its vendor's aliases. Absent if there are none.
   */
  known_as?: string[] | undefined
  upstream: Upstream<ChatAdapter>
  parameters: ParameterSchema
}

export interface MediaEntry extends Omit<MediaDeclaration, 'upstream'> {
  task: ModelTask
  modality: Exclude<Modality, 'chat'>
  /** The vendor's label. */
  provider: string
  /** Every alias of the model, as for a chat model. */
  known_as?: string[] | undefined
  upstream: Upstream<MediaAdapter> & Pick<MediaDeclaration['upstream'], 'request' | 'queue'>
}

export interface Upstream<Adapter> {
  adapter: Adapter
  /** Absent if it is the vendor's default URL. */
  address?: string | undefined
  model: string
}
