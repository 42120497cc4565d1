import { AggregatorRegistry } from 'prom-client'
import type { FamilySnapshot, RuntimeMetric, Series, Snapshot } from './snapshot.ts'

/** The content type of the text. */
export const metricsType = AggregatorRegistry.PROMETHEUS_CONTENT_TYPE

/** Returns the metrics of processes in the text format of Prometheus. Values with the same labels are aggregated. */
export function renderMetrics(snapshots: readonly Snapshot[]): Promise<string> {
  return AggregatorRegistry.aggregate(snapshots.map(metricsOf)).metrics()
}

/**
 * Adds up the counters and histograms of processes that have ended. With them, the counters of a machine never fall when a
 * process is replaced.
 */
export async function foldEnded(snapshots: readonly Snapshot[]): Promise<Snapshot> {
  const metrics = await AggregatorRegistry.aggregate(snapshots.map(metricsOf)).getMetricsAsJSON()
  return { process: '', families: [], runtime: metrics.filter(isCumulative) }
}

function isCumulative({ name, values }: RuntimeMetric): boolean {
  return name.endsWith('_total') || values.some(value => 'metricName' in value)
}

function metricsOf({ process, families, runtime }: Snapshot): object[] {
  const ofNode = runtime.map(metric => ({
    ...metric,
    // The values of ended processes have their label already.
    values: metric.values.map(value => ({ ...value, labels: { process, ...value.labels } })),
  }))
  return [...families.map(family => metricOf(family, process)), ...ofNode]
}

function metricOf(family: FamilySnapshot, process: string): object {
  const { name, help, type, aggregation, series } = family
  const values = series.flatMap(one => valuesOf(family, one, process))
  return { name, help, type, aggregator: aggregation, values }
}

function valuesOf(
  { name, labels: names = [], bounds }: FamilySnapshot,
  [labelValues, values]: Series,
  process: string,
): object[] {
  const labels: Record<string, string> = { process }
  for (let at = 0; at < names.length; at++) labels[names[at]!] = labelValues[at] ?? ''
  if (!bounds) return [{ value: values[0] ?? 0, labels }]
  let count = 0
  const buckets = [...bounds, '+Inf'].map((le, at) => {
    count += values[at] ?? 0
    return { metricName: `${name}_bucket`, value: count, labels: { ...labels, le } }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, value: values[bounds.length + 1] ?? 0, labels },
    { metricName: `${name}_count`, value: count, labels },
  ]
}
