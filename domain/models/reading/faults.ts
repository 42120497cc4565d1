export interface Place {
  file: string
  line: number
}

export type Path = readonly (string | number)[]

/** Notes a fault of one entry: where in it, and what is wrong. */
export type Report = (path: Path, message: string) => void

/** Collects all that is wrong with the catalogue's files, so that an operator is told all of it at once. */
export class Faults {
  readonly #found = new Map<string, Place>()

  /** Notes `models/video.yaml:123: prices.rates[0].price: message`, once. */
  add({ file, line }: Place, path: Path, message: string): void {
    const where = path.length > 0 ? `${printPath(path)}: ` : ''
    this.#found.set(`${file}:${line}: ${where}${message}`, { file, line })
  }

  /** Throws when something was added. */
  raiseIfAny(): void {
    if (this.#found.size > 0) this.raise()
  }

  /** Throws an Error whose message lists every fault, a line each, in the order of the files. */
  raise(): never {
    const ordered = [...this.#found].sort(([, a], [, b]) => a.file.localeCompare(b.file) || a.line - b.line)
    throw new Error(ordered.map(([text]) => text).join('\n'))
  }
}

function printPath(path: Path): string {
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : index > 0 ? `.${key}` : key))
    .join('')
}
