import { type Buckets, boundsOf, Distribution } from './distribution.ts'
import { Family, type FamilyDeclared } from './family.ts'
import type { Aggregation, Declared, FamilySnapshot, Series, Snapshot } from './snapshot.ts'

/** A counter's value for one set of labels. Add to it. */
export interface Count {
  value: number
}

/** Reports a value with the values of its labels, in their declared order. */
export type Report = (value: number, ...labels: string[]) => void

/** Reports the current values of a metric. It is called at each scrape, and must not throw. */
export type Read = (report: Report) => void | Promise<void>

/** The metrics of one process. */
export interface Metrics {
  /** Declares a metric that only rises. Nothing is reported until its first count. */
  counter(declared: FamilyDeclared): Family<Count>
  /** Declares a histogram. */
  histogram(declared: FamilyDeclared & { buckets: Buckets }): Family<Distribution>
  /**
   * Declares a metric whose values are read at each scrape. `aggregation` defines the value of a machine with several
   * processes.
   */
  read(declared: Declared & { type: 'counter' | 'gauge'; aggregation?: Aggregation }, read: Read): void
  /** Returns the current values. The first call starts to observe the event loop and the garbage collection. */
  snapshot(): Promise<Snapshot>
}

/** Opens the metrics of a process of this kind, such as `edge`. Until the first snapshot, nothing is observed. */
export function openMetrics(kind: string): Metrics {
  const families: (() => FamilySnapshot | Promise<FamilySnapshot>)[] = []
  let runtime: Promise<() => Promise<Snapshot['runtime']>> | undefined
  return {
    counter(declared) {
      const family = new Family<Count>(declared, () => ({ value: 0 }))
      families.push(() => family.snapshot('counter', ({ value }) => [value]))
      return family
    },
    histogram({ buckets, ...declared }) {
      const family = new Family(declared, () => new Distribution(buckets))
      const bounds = boundsOf(buckets)
      families.push(() => family.snapshot('histogram', ({ values }) => Array.from(values), bounds))
      return family
    },
    read({ type, aggregation = 'sum', ...declared }, read) {
      families.push(async () => {
        const series: Series[] = []
        await read((value, ...labels) => series.push([labels, [value]]))
        return { ...declared, type, aggregation, series }
      })
    },
    async snapshot() {
      runtime ??= import('./runtime-metrics.ts').then(({ openRuntimeMetrics }) => openRuntimeMetrics())
      const readRuntime = await runtime
      const [values, ofNode] = await Promise.all([
        Promise.all(families.map(family => family())),
        readRuntime(),
      ])
      return { process: kind, families: values, runtime: ofNode }
    },
  }
}
