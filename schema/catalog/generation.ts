import { type Static, Type } from 'typebox'

const closed = { additionalProperties: false }

/** The settings for running generations of a media model. */
export const GenerationSettings = Type.Object(
  {
    /** Milliseconds between two polls of a generation, before jitter. */
    poll_ms: Type.Integer({ minimum: 20, maximum: 3_600_000, default: 5_000 }),
    /** Maximum duration of a generation, in milliseconds. Then it fails. */
    time_limit_ms: Type.Integer({ minimum: 1_000, maximum: 86_400_000, default: 1_800_000 }),
    /** Whether the vendor makes one file per call, so that `n` files need `n` calls. */
    one_at_a_time: Type.Boolean({ default: false }),
    /** Whether a generation that has started can be cancelled. */
    cancellable: Type.Boolean({ default: false }),
    /**
     * The header of the vendor's idempotency key. A submit with the same key does not start another generation. Absent
     * if the vendor supports none.
     */
    idempotency_header: Type.Optional(Type.String({ pattern: '^[A-Za-z][A-Za-z0-9-]{0,63}$' })),
  },
  { ...closed, default: {} },
)

/** Names joined by dots: `input.image_url`. */
const namePattern = '[A-Za-z][A-Za-z0-9_-]*'
export const FieldPath = Type.String({ pattern: `^${namePattern}(\\.${namePattern})*$` })

const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()])

/** The rule for one field of the vendor's request. A parameter without a rule is sent under its own name. */
export const FieldRule = Type.Object(
  {
    /** The source parameter. The values of several parameters are joined with a space and looked up in `values`. */
    from: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 2 })])),
    /** The path of the field in the request. If absent, the parameter is not sent. */
    to: Type.Optional(FieldPath),
    /** A constant that is sent instead of a parameter. */
    value: Type.Optional(Type.Unknown()),
    /** The vendor's values by the client's values. Other values are sent unchanged. */
    values: Type.Optional(Type.Record(Type.String(), Scalar)),
    /** The type in which it is sent. */
    as: Type.Optional(Type.Enum(['text', 'number'])),
    /** The position of the only list item to send. Nothing is sent if the item does not exist. */
    item: Type.Optional(Type.Integer({ minimum: 0, maximum: 63 })),
    /** The name under which each list item is wrapped in an object: `[{url: …}]`. */
    each: Type.Optional(Type.String({ pattern: `^${namePattern}$` })),
  },
  closed,
)

/** The rules that convert a model's parameters to the vendor's request. */
export const RequestRules = Type.Object(
  {
    /** The object in which parameters without a rule are sent, for example `input`. Absent: at the top. */
    under: Type.Optional(FieldPath),
    fields: Type.Array(FieldRule, { default: [] }),
  },
  closed,
)

export type GenerationSettings = Static<typeof GenerationSettings>
export type FieldRule = Static<typeof FieldRule>
export type RequestRules = Static<typeof RequestRules>
