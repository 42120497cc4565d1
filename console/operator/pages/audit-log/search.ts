import { type PagePlace, pagePlaceOf, textIn } from '../../../lists/address.ts'
import { dayIn } from '../../../lists/days.ts'

/** The state of the page, in its address: filters, and the page of the list. */
export interface PlatformLogSearch extends PagePlace {
  action?: string | undefined
  /** The name of an operator. */
  operator?: string | undefined
  /** The ID of the object. */
  target?: string | undefined
  /** The first and the last day, in the reader's zone. */
  from?: string | undefined
  to?: string | undefined
}

/** Reads the state from the parameters of the address. Invalid values become `undefined`. */
export function platformLogSearchOf(search: Record<string, unknown>): PlatformLogSearch {
  return {
    ...pagePlaceOf(search),
    action: textIn(search.action),
    operator: textIn(search.operator),
    target: textIn(search.target),
    from: dayIn(search.from),
    to: dayIn(search.to),
  }
}
