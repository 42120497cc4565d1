import { type PagePlace, pagePlaceOf } from '../../lists/address.ts'
import { dayIn } from '../../lists/days.ts'

/** The state of the page, in its address: filters, the page of the list, and the entry whose panel is open. */
export interface AuditSearch extends PagePlace {
  action?: string | undefined
  /** The ID of a user or an API key. */
  actor?: string | undefined
  /** The ID of the object. */
  target?: string | undefined
  /** The first day, in the reader's zone. */
  from?: string | undefined
  /** The last day, in the reader's zone. */
  to?: string | undefined
  entry?: string | undefined
}

/** Reads the state from the parameters of the address. Invalid values become `undefined`. */
export function auditSearchOf(search: Record<string, unknown>): AuditSearch {
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
  return {
    ...pagePlaceOf(search),
    action: text(search.action),
    actor: text(search.actor),
    target: text(search.target),
    from: dayIn(search.from),
    to: dayIn(search.to),
    entry: text(search.entry),
  }
}
