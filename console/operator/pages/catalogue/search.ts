import { type PagePlace, pagePlaceOf, textIn } from '../../../lists/address.ts'

export const outputs = ['CHAT', 'IMAGE', 'VIDEO', 'AUDIO'] as const

/** The state of the page, in its address: search, filters, and the page of the list. */
export interface CatalogueSearch extends PagePlace {
  search?: string | undefined
  output?: (typeof outputs)[number] | undefined
  /** Set if inactive models are listed instead of active ones. */
  state?: 'inactive' | undefined
}

/** Reads the state from the parameters of the address. Invalid values become `undefined`. */
export function catalogueSearchOf(search: Record<string, unknown>): CatalogueSearch {
  return {
    ...pagePlaceOf(search),
    search: textIn(search.search)?.slice(0, 200),
    output: outputs.find(name => name === search.output),
    state: search.state === 'inactive' ? 'inactive' : undefined,
  }
}
