import { type Static, Type } from 'typebox'

/** The wire formats that an upstream can speak. `upstreams/` holds one adapter of each name. */
export const chatAdapters = ['openai-chat', 'anthropic-messages', 'gemini'] as const
export const embeddingAdapters = ['openai-embeddings'] as const
export const mediaAdapters = ['media-task'] as const

/** The formats in which a model talks. */
export type ChatFormat = (typeof chatAdapters)[number]
/** Those of every model that takes text and is charged by tokens. */
export type ChatAdapter = ChatFormat | (typeof embeddingAdapters)[number]
export type MediaAdapter = (typeof mediaAdapters)[number]

export const Adapter = Type.Enum([...chatAdapters, ...embeddingAdapters, ...mediaAdapters])

/** The 18 fixed labels, `vendor_a` to `vendor_r`. */
export const vendorLabels = [...'abcdefghijklmnopqr'].map(letter => `vendor_${letter}`)

/** One vendor as an operator writes it in `vendors.yaml`. */
export const VendorDeclaration = Type.Object(
  {
    /** Display name, the operator's to choose. */
    name: Type.String({ minLength: 1 }),
    /** What its models speak, unless a model says otherwise. */
    adapter: Adapter,
    /** Where it answers, unless the environment says otherwise (`VENDOR_A_BASE_URL`). */
    base_url: Type.Optional(Type.String({ pattern: '^https://' })),
  },
  { additionalProperties: false },
)

export type VendorDeclaration = Static<typeof VendorDeclaration>
export type Vendor = VendorDeclaration & { label: string }
