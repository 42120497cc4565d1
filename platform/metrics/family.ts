import type { Aggregation, Declared, FamilySnapshot, Series } from './snapshot.ts'

/**
 * Maximum number of label sets of one metric in a process. It limits the size of a scrape. Further sets are counted
 * together: their open labels have the value `other`.
 */
export const maxSeries = 200

/** The value of an open label of the sets that are counted together. */
export const other = 'other'

/** A metric that is counted where something happens. */
export interface FamilyDeclared extends Declared {
  /** Labels with values that the catalogue defines, such as `model`. All other labels have a fixed set of values. */
  open?: readonly string[]
}

/** The values of one metric by their labels. */
export class Family<Child extends object> {
  readonly #declared: FamilyDeclared
  readonly #create: () => Child
  readonly #children = new Map<string, { labels: string[]; child: Child }>()

  constructor(declared: FamilyDeclared, create: () => Child) {
    this.#declared = declared
    this.#create = create
  }

  /**
   * Returns the child with these values of the labels, in their declared order. Callers keep it, because the look-up
   * costs more than counting. Beyond `maxSeries` sets, open labels become `other`.
   */
  of(...labels: string[]): Child {
    const known = this.#children.get(labels.join('\0'))
    if (known) return known.child
    const { labels: names = [], open = [] } = this.#declared
    const isFull = this.#children.size >= maxSeries && open.length > 0
    const kept = isFull ? labels.map((value, at) => (open.includes(names[at]!) ? other : value)) : labels
    const name = kept.join('\0')
    const merged = this.#children.get(name)
    if (merged) return merged.child
    const child = this.#create()
    this.#children.set(name, { labels: kept, child })
    return child
  }

  /** Reports these values of the only label from the start, so that their first count is seen as a rise. */
  begin(values: readonly string[]): this {
    for (const value of values) this.of(value)
    return this
  }

  /** Returns the values of all children. */
  snapshot(
    type: FamilySnapshot['type'],
    valuesOf: (child: Child) => number[],
    bounds?: readonly number[],
  ): FamilySnapshot {
    const { name, help, labels = [] } = this.#declared
    const aggregation: Aggregation = 'sum'
    const series = Array.from(
      this.#children.values(),
      ({ labels: values, child }): Series => [values, valuesOf(child)],
    )
    return { name, help, labels, type, aggregation, ...(bounds && { bounds }), series }
  }
}
