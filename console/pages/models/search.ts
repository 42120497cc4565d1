import { type PagePlace, pagePlaceOf } from '../../lists/address.ts'

/** The kinds of output, in the order of the filter. */
export const modalities = ['CHAT', 'IMAGE', 'VIDEO', 'AUDIO'] as const

/** The labels of vendors. */
export const vendors = [...'ABCDEFGHIJKLMNOPQR'].map(letter => `VENDOR_${letter}`)

/** The state of the page, in its address: filters, the page of the list, and the model whose panel is open. */
export interface ModelsSearch extends PagePlace {
  search?: string | undefined
  task?: (typeof modalities)[number] | undefined
  vendor?: string | undefined
  model?: string | undefined
}

/** Reads the state from the parameters of the address. Invalid values become `undefined`. */
export function modelsSearchOf(search: Record<string, unknown>): ModelsSearch {
  return {
    ...pagePlaceOf(search),
    search: typeof search.search === 'string' ? search.search.slice(0, 200) : undefined,
    task: modalities.find(name => name === search.task),
    vendor: vendors.find(name => name === search.vendor),
    model: typeof search.model === 'string' ? search.model : undefined,
  }
}
