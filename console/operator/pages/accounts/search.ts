import { type PagePlace, pagePlaceOf, textIn } from '../../../lists/address.ts'

/** The states by which accounts are filtered. */
export const accountStates = ['open', 'suspended', 'closed'] as const

/** The tiers by which accounts are filtered. */
export const accountTiers = ['paying', 'trial'] as const

/** The state of the page, in its address: search, filters, and the page of the list. */
export interface AccountsSearch extends PagePlace {
  search?: string | undefined
  state?: (typeof accountStates)[number] | undefined
  tier?: (typeof accountTiers)[number] | undefined
}

/** Reads the state from the parameters of the address. Invalid values become `undefined`. */
export function accountsSearchOf(search: Record<string, unknown>): AccountsSearch {
  return {
    ...pagePlaceOf(search),
    search: textIn(search.search)?.slice(0, 200),
    state: accountStates.find(name => name === search.state),
    tier: accountTiers.find(name => name === search.tier),
  }
}

/** The filters of the address as the graph takes them. */
export function accountsFilterOf({ search, state, tier }: AccountsSearch) {
  return {
    search: search ?? null,
    isSuspended: state === undefined || state === 'closed' ? null : state === 'suspended',
    isClosed: state === undefined ? null : state === 'closed',
    isPaying: tier === undefined ? null : tier === 'paying',
  }
}
