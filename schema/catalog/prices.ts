import { type Static, Type } from 'typebox'

/**
 * Price declarations. A price is text, `2.50 per 1M tokens` or `0.15 per second`: a decimal number of dollars, so that
 * no price ever becomes a float (`domain/pricing`).
 */
const PriceText = Type.String({ minLength: 1 })

const closed = { additionalProperties: false }

export const tokenKinds = ['input', 'output', 'cache_read', 'cache_write'] as const
export type TokenKind = (typeof tokenKinds)[number]

/** The price of one kind of token. With `above_prompt_tokens`, it applies to requests with a longer prompt. */
export const TokenRate = Type.Object(
  {
    of: Type.Enum([...tokenKinds]),
    price: PriceText,
    above_prompt_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  closed,
)

const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()])

/** The parameter values for which a price applies: `{resolution: 720p, size: [1280*720, 720*1280]}`. */
export const Condition = Type.Record(Type.String(), Type.Union([Scalar, Type.Array(Scalar, { minItems: 1 })]))

/** The price of one unit of generated media if the parameters match `when`. */
export const MediaRate = Type.Object({ price: PriceText, when: Type.Optional(Condition) }, closed)

/** A surcharge on the rates if the parameters match `when`. `of` is its name on the bill. */
export const Surcharge = Type.Object(
  { of: Type.String({ minLength: 1 }), price: PriceText, when: Type.Optional(Condition) },
  closed,
)

/** A surcharge on the price of a chat request's tokens: `0.0008 per input image`. */
export const ChatSurcharge = Type.Object({ of: Type.String({ minLength: 1 }), price: PriceText }, closed)

/** Deducted from the whole list price, surcharges included: `15 %`. */
const Discount = Type.Optional(Type.String({ pattern: '^[1-9][0-9]? %$' }))

/** A day, `2027-01-01`, which begins at 00:00 UTC. */
const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })

const time = '([01]\\d|2[0-3]):[0-5]\\d'
/** A range of the day in UTC, `01:00-04:00`, without its end. A range such as `22:00-06:00` crosses midnight. */
const Hours = Type.String({ pattern: `^${time}-(${time}|24:00)$` })

/** The time in which rates apply: a part of the calendar, of each day, or of both. */
const validity = {
  /** The first day. */
  from: Type.Optional(Day),
  /** The day before which they end. */
  until: Type.Optional(Day),
  hours: Type.Optional(Type.Array(Hours, { minItems: 1, maxItems: 12 })),
}

/** Maximum number of periods of one model. Every pair of them is compared. */
const maxPeriods = 24

export const TokenPeriod = Type.Object({ ...validity, rates: Type.Array(TokenRate, { minItems: 1 }) }, closed)
export const MediaPeriod = Type.Object({ ...validity, rates: Type.Array(MediaRate, { minItems: 1 }) }, closed)

/** The value of `service_tier` that lets the vendor choose a tier. */
export const anyTier = 'auto'

/** Clients' names of the standard tier, besides the vendor's own. */
export const standardTiers: ReadonlySet<string> = new Set(['default', 'standard', 'standard_only'])

/** The price of a request that the vendor serves in this tier, relative to the prices: `200 %`. */
const ServiceTier = Type.Object(
  {
    /** The vendor's name, as in `service_tier` of requests and answers. */
    tier: Type.String({ pattern: '^[a-z][a-z0-9_-]{0,63}$' }),
    price: Type.String({ pattern: '^[1-9]\\d{0,3} %$' }),
  },
  closed,
)

export const ChatPrices = Type.Object(
  {
    /** The rates at all times. Prices that depend on the time have `periods` instead. */
    rates: Type.Array(TokenRate, { default: [] }),
    /** The rates by time. Exactly one period applies at every time. */
    periods: Type.Optional(Type.Array(TokenPeriod, { minItems: 1, maxItems: maxPeriods })),
    surcharges: Type.Array(ChatSurcharge, { default: [] }),
    discount: Discount,
    /**
     * The tiers that a request can choose with `service_tier`. The first is the standard tier of 100 %. Absent: the
     * standard tier only.
     */
    service_tiers: Type.Optional(Type.Array(ServiceTier, { minItems: 1, maxItems: 10 })),
  },
  closed,
)

export const MediaPrices = Type.Object(
  {
    /** The rates at all times. Prices that depend on the time have `periods` instead. */
    rates: Type.Array(MediaRate, { default: [] }),
    /** The rates by time. Exactly one period applies at every time. */
    periods: Type.Optional(Type.Array(MediaPeriod, { minItems: 1, maxItems: maxPeriods })),
    surcharges: Type.Array(Surcharge, { default: [] }),
    discount: Discount,
  },
  closed,
)

export type Scalar = Static<typeof Scalar>
export type Condition = Static<typeof Condition>
export type TokenRate = Static<typeof TokenRate>
export type MediaRate = Static<typeof MediaRate>
export type Surcharge = Static<typeof Surcharge>
export type TokenPeriod = Static<typeof TokenPeriod>
export type MediaPeriod = Static<typeof MediaPeriod>
/** The time in which rates apply. */
export type Validity = Pick<TokenPeriod, 'from' | 'until' | 'hours'>
export type ServiceTier = Static<typeof ServiceTier>
export type ChatPrices = Static<typeof ChatPrices>
export type MediaPrices = Static<typeof MediaPrices>
