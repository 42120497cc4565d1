import { type Static, Type } from 'typebox'
import { nullable, open, optional } from './shapes.ts'

// The fields of Stripe's events that this service reads. Other fields are accepted and ignored.

const id = Type.String({ pattern: '^[\\x20-\\x7e]{1,255}$' })

/** A whole number of the currency's smallest unit, small enough to be exact. */
const amount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

const currency = Type.String({ pattern: '^[a-z]{3}$' })

/** An ID, or the object if an endpoint expands it. */
const reference = optional(Type.Union([id, Type.Object({ id }, open)]))

/** The envelope of every event. */
export const PaymentEventShape = Type.Object(
  {
    id,
    type: Type.String({ pattern: '^[a-z0-9_.]{1,100}$' }),
    /** Seconds since 1970. */
    created: Type.Integer({ minimum: 0, maximum: 253_402_300_799 }), // the year 9999
    data: Type.Object({ object: Type.Object({}, open) }, open),
  },
  open,
)

/** A Checkout session, in `checkout.session.*`. */
export const CheckoutSessionShape = Type.Object(
  {
    id,
    metadata: optional(Type.Record(Type.String(), Type.String({ maxLength: 500 }))),
    payment_intent: reference,
    payment_status: Type.String({ maxLength: 100 }),
    amount_total: nullable(amount),
    currency: nullable(currency),
  },
  open,
)

/** A refund or a dispute, in `refund.*` and `charge.dispute.*`. */
export const ReversalShape = Type.Object(
  { id, amount, currency, payment_intent: reference, status: optional(Type.String({ maxLength: 100 })) },
  open,
)

export type CheckoutSessionShape = Static<typeof CheckoutSessionShape>
export type ReversalShape = Static<typeof ReversalShape>
