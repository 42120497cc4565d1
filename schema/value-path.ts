/** The path to a value: the names of fields and the indexes of list items that lead to it. */
export type ValuePath = readonly (string | number)[]

/** Formats a path as messages show it: `prices.rates[0].price`. */
export function printPath(path: ValuePath): string {
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : index > 0 ? `.${key}` : key))
    .join('')
}
