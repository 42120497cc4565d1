import type { JsonRecord } from '../server/json.ts'

/** The error of a charge without the cardholder, in Stripe's format; undefined if it succeeds. */
export type ChargeError = JsonRecord & { code: string }

/** Stripe's test cards by their last four digits, with a label and the error of off-session charges. */
export const cards = new Map<string, { label: string; error?: ChargeError }>([
  ['4242', { label: 'a card that works' }],
  [
    '0341',
    {
      label: 'a card whose charges are declined',
      error: { code: 'card_declined', decline_code: 'generic_decline', message: 'Your card was declined.' },
    },
  ],
  [
    '9987',
    {
      label: 'a card that was lost',
      error: {
        ...{ code: 'card_declined', decline_code: 'lost_card', advice_code: 'do_not_try_again' },
        message: 'Your card was declined.',
      },
    },
  ],
  [
    '3184',
    {
      label: 'a card that requires authentication',
      error: {
        ...{ code: 'authentication_required', decline_code: 'authentication_required' },
        message: 'Your card was declined. This transaction requires authentication.',
      },
    },
  ],
])

/** The card of a payment method in Stripe's format. */
export function cardObject(last4: string): JsonRecord {
  return { brand: 'visa', country: 'US', exp_month: 8, exp_year: 2031, funding: 'credit', last4 }
}
