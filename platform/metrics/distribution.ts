/** The bounds of a histogram's buckets: the first, and how often it is multiplied by the factor. */
export interface Buckets {
  /** The upper bound of the first bucket, in the metric's unit. */
  first: number
  factor: 2 | 4
  /** The number of buckets with a bound. One more, without a bound, follows. */
  count: number
}

/** Returns the upper bounds of the buckets. */
export function boundsOf({ first, factor, count }: Buckets): number[] {
  return Array.from({ length: count }, (_, at) => Number((first * factor ** at).toPrecision(12)))
}

/**
 * The observed values of one set of labels. An observation costs some nanoseconds, because the bucket is calculated and not
 * searched (docs/decisions/2026-11-27-metrics.md).
 */
export class Distribution {
  /** The count of each bucket, and the sum of all values. */
  readonly values: Float64Array
  readonly #first: number
  readonly #shift: 0 | 1
  readonly #last: number

  constructor({ first, factor, count }: Buckets) {
    this.values = new Float64Array(count + 2)
    this.#first = first
    this.#shift = factor === 4 ? 1 : 0
    this.#last = count
  }

  /** Counts a value. Negative values and NaN count as zero. */
  observe(value: number): void {
    const { values } = this
    const known = value > 0 ? value : 0
    const steps = Math.ceil(known / this.#first)
    // The number of bits of `steps - 1` is the smallest power of two that is at least `steps`.
    const bits = steps <= 1 ? 0 : steps > 0x40000000 ? 31 : 32 - Math.clz32(steps - 1)
    const at = (bits + this.#shift) >> this.#shift
    values[at < this.#last ? at : this.#last]! += 1
    values[this.#last + 1]! += known
  }
}
