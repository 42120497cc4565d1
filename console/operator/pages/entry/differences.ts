/** A value that differs between two versions of an entry. A missing value is `undefined`. */
export interface Difference {
  /** For example `prices.rates[0].price`. */
  path: string
  before: unknown
  after: unknown
}

/** Maximum number of differences that are shown. */
export const maxDifferences = 200

/**
 * Returns the values that differ between two JSON values, in the order of the first, at most `maxDifferences`. A list
 * whose items moved differs in each of their places.
 */
export function differencesOf(before: unknown, after: unknown): Difference[] {
  const found: Difference[] = []
  compare('', before, after, found)
  return found
}

function compare(path: string, before: unknown, after: unknown, found: Difference[]): void {
  if (found.length >= maxDifferences || before === after) return
  const one = childrenOf(before)
  const other = childrenOf(after)
  if (!one || !other || Array.isArray(before) !== Array.isArray(after)) {
    found.push({ path, before, after })
    return
  }
  const name = (key: string) => {
    if (Array.isArray(before)) return `${path}[${key}]`
    return path === '' ? key : `${path}.${key}`
  }
  for (const key of new Set([...one.keys(), ...other.keys()]))
    compare(name(key), one.get(key), other.get(key), found)
}

/** Returns the fields of an object or the items of a list; undefined for other values. */
function childrenOf(value: unknown): Map<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : undefined
}
