import { type Static, Type } from 'typebox'
import { KeyHeader } from './key-header.ts'

/** The wire formats of upstreams: `upstreams/` has one adapter of each name. */
export const chatAdapters = ['openai-chat', 'anthropic-messages', 'gemini'] as const
export const embeddingAdapters = ['openai-embeddings'] as const
export const mediaAdapters = [
  ...(['openai-images', 'openai-videos', 'openai-speech'] as const),
  ...(['gemini-images', 'google-operations', 'queue'] as const),
] as const

/** The formats of chat models. */
export type ChatFormat = (typeof chatAdapters)[number]
/** The formats of all models that read text and are charged by tokens. */
export type ChatAdapter = ChatFormat | (typeof embeddingAdapters)[number]
export type MediaAdapter = (typeof mediaAdapters)[number]

export const Adapter = Type.Enum([...chatAdapters, ...embeddingAdapters, ...mediaAdapters])

/** The 18 fixed labels, `vendor_a` to `vendor_r`. */
export const vendorLabels = [...'abcdefghijklmnopqr'].map(letter => `vendor_${letter}`)

/**
 * What vendors of the format `openai-chat` refuse. Differences of single models are flags of the model
 * (`chat-flags.ts`).
 */
export const quirks = [
  /** The role `developer`. Its messages are sent as `system`. */
  'no_developer_role',
  /** `stream_options`. Without a count in the stream, usage is estimated. */
  'no_stream_options',
  /** `parallel_tool_calls`. It is dropped. */
  'no_parallel_tool_calls',
  /** `strict` of functions. It is dropped. */
  'no_strict_tools',
  /** The reasoning of earlier answers. It is dropped. */
  'no_reasoning_content',
] as const
export type Quirk = (typeof quirks)[number]

const VendorKey = Type.Object(KeyHeader.properties, { additionalProperties: false })

/** The declaration of a vendor in `vendors.yaml`. */
export const VendorDeclaration = Type.Object(
  {
    /** The display name, which the operator chooses. */
    name: Type.String({ minLength: 1 }),
    /** Other names of the vendor: with the alias `openai`, `openai/gpt-5.4` names `vendor_a/gpt-5.4`. */
    aliases: Type.Optional(Type.Array(Type.String({ pattern: '^[a-z0-9][a-z0-9._-]*$' }))),
    /** The wire format of its models, unless a model has another one. */
    adapter: Adapter,
    /** Its base URL, unless the environment sets another one (`VENDOR_A_BASE_URL`). */
    base_url: Type.Optional(Type.String({ pattern: '^https://' })),
    /**
     * Whether the vendor keeps or learns from prompts. Requests with `data_collection: deny` go only to vendors that
     * declare `deny`.
     */
    data_collection: Type.Optional(Type.Enum(['allow', 'deny'])),
    /** The header that carries the API key, for OpenAI's formats: `{header: api-key, scheme: ''}`. By default a bearer. */
    key: Type.Optional(VendorKey),
    /** The parts of OpenAI's chat format that the vendor does not support, for all of its models. */
    quirks: Type.Optional(Type.Array(Type.Enum([...quirks]), { uniqueItems: true })),
  },
  { additionalProperties: false },
)

export type VendorDeclaration = Static<typeof VendorDeclaration>
export type Vendor = VendorDeclaration & { label: string }
