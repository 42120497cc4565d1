import { type PagePlace, pagePlaceOf } from '../../lists/address.ts'

/** The deliveries that the list shows. */
export const shownStates = ['failed', 'pending', 'delivered'] as const

/** The state of the page, in its address: the filter, the page of the list, and the delivery whose panel is open. */
export interface CallbacksSearch extends PagePlace {
  state?: (typeof shownStates)[number] | undefined
  delivery?: string | undefined
}

/** Reads the state from the parameters of the address. Invalid values become `undefined`. */
export function callbacksSearchOf(search: Record<string, unknown>): CallbacksSearch {
  return {
    ...pagePlaceOf(search),
    state: shownStates.find(name => name === search.state),
    delivery: typeof search.delivery === 'string' ? search.delivery : undefined,
  }
}
