import { type Static, Type } from 'typebox'

const closed = { additionalProperties: false }

/** How generations of a media model are run. */
export const Generation = Type.Object(
  {
    /** Milliseconds between two polls of a generation, before jitter. */
    poll_ms: Type.Integer({ minimum: 20, maximum: 3_600_000, default: 5_000 }),
    /** A generation that has not ended after so many milliseconds fails. */
    time_limit_ms: Type.Integer({ minimum: 1_000, maximum: 86_400_000, default: 1_800_000 }),
    /** The vendor makes one file a call: callers that want `n` make `n` calls. */
    one_at_a_time: Type.Boolean({ default: false }),
    /** A generation that has begun can be cancelled. */
    cancellable: Type.Boolean({ default: false }),
    /**
     * The header in which the vendor honours an idempotency key: a submit with the same key starts nothing new.
     * Absent where it honours none.
     */
    idempotency_header: Type.Optional(Type.String({ pattern: '^[A-Za-z][A-Za-z0-9-]{0,63}$' })),
  },
  { ...closed, default: {} },
)

/** Names joined by dots: `input.image_url`. */
const namePattern = '[A-Za-z][A-Za-z0-9_-]*'
export const FieldPath = Type.String({ pattern: `^${namePattern}(\\.${namePattern})*$` })

const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()])

/**
 * How one field of the vendor's request is made. A parameter that no rule takes is sent under its own name.
 */
export const FieldRule = Type.Object(
  {
    /** The parameter that is taken; of several, the values are joined by a space and looked up in `values`. */
    from: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 2 })])),
    /** Where it is sent, from the top of the request. Absent: it is not sent. */
    to: Type.Optional(FieldPath),
    /** What is sent in place of a parameter: the same in every request. */
    value: Type.Optional(Type.Unknown()),
    /** The vendor's value for each of the client's; another is sent as it is. */
    values: Type.Optional(Type.Record(Type.String(), Scalar)),
    /** The type in which it is sent. */
    as: Type.Optional(Type.Enum(['text', 'number'])),
    /** Of a list, the item at this position alone. Nothing is sent where there is none. */
    item: Type.Optional(Type.Integer({ minimum: 0, maximum: 63 })),
    /** Of a list, each item is sent as an object that has it under this name: `[{url: …}]`. */
    each: Type.Optional(Type.String({ pattern: `^${namePattern}$` })),
  },
  closed,
)

/** How a model's parameters become the vendor's request. */
export const RequestRules = Type.Object(
  {
    /** Parameters that no rule takes are sent in this object, `input`; absent: at the top. */
    under: Type.Optional(FieldPath),
    fields: Type.Array(FieldRule, { default: [] }),
  },
  closed,
)

export type Generation = Static<typeof Generation>
export type FieldRule = Static<typeof FieldRule>
export type RequestRules = Static<typeof RequestRules>
