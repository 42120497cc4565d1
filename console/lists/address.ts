/** The place of a page in a list of the graph. Both are in the address, so that a page can be shared. */
export interface PagePlace {
  after?: string | undefined
  before?: string | undefined
}

/** Reads the place from the parameters of an address. */
export function pagePlaceOf(search: Record<string, unknown>): PagePlace {
  const after = textIn(search.after)
  const before = after === undefined ? textIn(search.before) : undefined
  return { after, before }
}

/** Returns a parameter of an address as text, or `undefined` if it is empty or no text. */
export function textIn(parameter: unknown): string | undefined {
  return typeof parameter === 'string' && parameter !== '' ? parameter : undefined
}

/** Returns the change of an address that opens another page of its list. `{}` is the first page. */
export function atPage(place: PagePlace) {
  return <Search extends PagePlace>(search: Search): Search => ({
    ...search,
    after: place.after,
    before: place.before,
  })
}

/** Returns the change of an address that sets a filter, and opens the first page. An empty value removes the filter. */
export function withFilter(name: string, value: string) {
  return <Search extends PagePlace>(search: Search): Search => ({
    ...search,
    after: undefined,
    before: undefined,
    [name]: value === '' ? undefined : value,
  })
}

/** The arguments of a connection for a page of `size` items. */
export function pageArguments({ after, before }: PagePlace, size: number) {
  return before === undefined
    ? { first: size, after: after ?? null, last: null, before: null }
    : { first: null, after: null, last: size, before }
}

/** Whether at least one filter has a value. */
export function hasFilter(filters: object): boolean {
  return Object.values(filters).some(value => value !== undefined && value !== null)
}
