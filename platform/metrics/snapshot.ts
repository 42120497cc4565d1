import type { MetricObjectWithValues, MetricValue } from 'prom-client'

/** How the values of several processes become one value of their machine. Counters and histograms are added up. */
export type Aggregation = 'sum' | 'max' | 'min'

/** The declaration of a metric. Its name ends with its unit, such as `_seconds`, and with `_total` for a counter. */
export interface Declared {
  name: string
  help: string
  /** The names of its labels. */
  labels?: readonly string[]
}

/** The values of one metric at the time of a snapshot, in numbers that are cheap to copy to another thread or process. */
export interface FamilySnapshot extends Declared {
  type: 'counter' | 'gauge' | 'histogram'
  aggregation: Aggregation
  /** The upper bounds of the buckets of a histogram. */
  bounds?: readonly number[]
  series: Series[]
}

/** The values of one set of labels: one value, or the counts of a histogram's buckets, the last without a bound, and the sum. */
export type Series = [labels: readonly string[], values: readonly number[]]

/** The metrics of one process. */
export interface Snapshot {
  /** The kind of process, such as `edge`: the label `process` of each value. */
  process: string
  families: FamilySnapshot[]
  /** The metrics of Node and of the operating system, as prom-client collects them. */
  runtime: RuntimeMetric[]
}

/** A metric in the format of prom-client. */
export type RuntimeMetric = MetricObjectWithValues<MetricValue<string>>
