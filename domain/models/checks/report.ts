/** The keys and list positions that lead to a part of an entry. */
export type Path = readonly (string | number)[]

/** Reports a fault of one entry with its path and message. */
export type Report = (path: Path, message: string) => void

/** Formats a path as operators write it: `prices.rates[0].price`. */
export function printPath(path: Path): string {
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : index > 0 ? `.${key}` : key))
    .join('')
}
