import { type Static, type TObject, Type } from 'typebox'
import { open, optional } from './shapes.ts'

/**
 * The fields with which a chat request chooses models and vendors, in OpenRouter's shape (docs/models.md). All chat
 * protocols accept them, and no vendor receives them.
 */

/** Maximum numbers of models and of vendors in a list. */
export const routingBounds = { models: 10, vendors: 20 } as const

const Vendors = optional(Type.Array(Type.String(), { maxItems: routingBounds.vendors }))

/** Dollars: a number, or decimal text. */
const Dollars = optional(Type.Union([Type.Number({ minimum: 0 }), Type.String({ maxLength: 30 })]))

const SortMeasure = Type.Enum(['price', 'throughput', 'latency'])
export type SortMeasure = Static<typeof SortMeasure>

/** A measure, or an object that names it. OpenRouter can also compare the vendors of all models: `partition: none`. */
const SortPreference = Type.Union([
  SortMeasure,
  Type.Object({ by: optional(SortMeasure), partition: optional(Type.Enum(['model'])) }, open),
])
export type SortPreference = Static<typeof SortPreference>

export const ProviderPreferences = Type.Object(
  {
    /** The vendors to try first, in order. */
    order: Vendors,
    only: Vendors,
    ignore: Vendors,
    allow_fallbacks: optional(Type.Boolean()),
    require_parameters: optional(Type.Boolean()),
    data_collection: optional(Type.Enum(['allow', 'deny'])),
    sort: optional(SortPreference),
    /** The highest prices: of a million tokens of prompt and completion, of a request, and of an input image. */
    max_price: optional(
      Type.Object({ prompt: Dollars, completion: Dollars, request: Dollars, image: Dollars }, open),
    ),
  },
  open,
)

export const RoutingFields = Type.Object({
  models: optional(Type.Array(Type.String({ minLength: 1 }), { maxItems: routingBounds.models })),
  provider: optional(ProviderPreferences),
})

export type ProviderPreferences = Static<typeof ProviderPreferences>

/** Adds these fields to the schema of a protocol's requests, for the description of the API. */
export function withRouting({ properties }: TObject, fields: object = RoutingFields.properties): TObject {
  return Type.Object({ ...properties, ...fields }, open)
}

/** Adds the only one of these fields that embeddings accept. */
export function withProvider(schema: TObject): TObject {
  return withRouting(schema, { provider: RoutingFields.properties.provider })
}
