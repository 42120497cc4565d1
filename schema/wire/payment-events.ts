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
    data: Type.Object(
      { object: Type.Object({}, open), previous_attributes: optional(Type.Object({}, open)) },
      open,
    ),
  },
  open,
)

const metadata = optional(Type.Record(Type.String(), Type.String({ maxLength: 500 })))

const text = optional(Type.String({ maxLength: 100 }))

/** The URL of a page of Stripe. */
const page = optional(Type.String({ maxLength: 4_000 }))

/** A Checkout session, in `checkout.session.*`. */
export const CheckoutSessionShape = Type.Object(
  {
    id,
    mode: text,
    metadata,
    total_details: optional(Type.Object({ amount_tax: amount }, open)),
    payment_intent: reference,
    payment_status: Type.String({ maxLength: 100 }),
    amount_total: nullable(amount),
    currency: nullable(currency),
  },
  open,
)

/** A charge, in `payment_intent.*`. */
export const PaymentIntentShape = Type.Object(
  {
    id,
    metadata,
    amount_received: optional(amount),
    currency,
    last_payment_error: optional(Type.Object({ code: text, decline_code: text, advice_code: text }, open)),
  },
  open,
)

/** A card, in `payment_method.*`. Other payment methods have no `card`. */
export const PaymentMethodShape = Type.Object(
  {
    id,
    customer: reference,
    created: Type.Integer({ minimum: 0, maximum: 253_402_300_799 }),
    card: optional(
      Type.Object(
        {
          brand: Type.String({ maxLength: 50 }),
          last4: Type.String({ maxLength: 10 }),
          exp_month: Type.Integer({ minimum: 1, maximum: 12 }),
          exp_year: Type.Integer({ minimum: 0, maximum: 9_999 }),
        },
        open,
      ),
    ),
  },
  open,
)

/** A charge or an invoice: the pages of Stripe about a payment. */
export const PaymentPagesShape = Type.Object(
  { metadata, receipt_url: page, hosted_invoice_url: page, invoice_pdf: page },
  open,
)

/** A refund or a dispute, in `refund.*` and `charge.dispute.*`. */
export const ReversalShape = Type.Object(
  { id, amount, currency, payment_intent: reference, status: optional(Type.String({ maxLength: 100 })) },
  open,
)

export type CheckoutSessionShape = Static<typeof CheckoutSessionShape>
export type PaymentIntentShape = Static<typeof PaymentIntentShape>
export type PaymentMethodShape = Static<typeof PaymentMethodShape>
export type ReversalShape = Static<typeof ReversalShape>
