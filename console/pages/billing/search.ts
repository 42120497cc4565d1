import { type PagePlace, pagePlaceOf } from '../../lists/address.ts'

/** The lists of the page. */
export const views = ['transactions', 'topUps'] as const

/** The origins of transactions, as the graph names them. */
export const origins = [
  'USAGE',
  'REFUND',
  'STRIPE',
  'PAYMENT_REFUND',
  'DISPUTE',
  'GRANT',
  'TRIAL',
  'ADJUSTMENT',
] as const

/** The state of the page, in its address: the list with its filters and page, and the top-up that is awaited. */
export interface BillingSearch extends PagePlace {
  view?: (typeof views)[number] | undefined
  origin?: (typeof origins)[number] | undefined
  key?: string | undefined
  /** The first and the last UTC day. */
  since?: string | undefined
  until?: string | undefined
  /** The top-up from whose payment page the user returns, under the name that the service gives it. */
  top_up?: string | undefined
  /** Whether the user left the payment page without paying. */
  cancelled?: true | undefined
  /** Whether the dialog that adds credits is open. */
  add?: true | undefined
}

/** Reads the state from the parameters of the address. Invalid values become `undefined`. */
export function billingSearchOf(search: Record<string, unknown>): BillingSearch {
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
  const day = (value: unknown) =>
    typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : undefined
  return {
    ...pagePlaceOf(search),
    view: views.find(name => name === search.view),
    origin: origins.find(name => name === search.origin),
    key: text(search.key),
    since: day(search.since),
    until: day(search.until),
    top_up: text(search.top_up),
    cancelled: search.cancelled === true || undefined,
    add: search.add === true || undefined,
  }
}
