import { collectDefaultMetrics, Registry } from 'prom-client'
import type { Snapshot } from './snapshot.ts'

/** Interval at which the delay of the event loop is sampled, in milliseconds. */
const samplingIntervalMs = 20

/**
 * Starts to observe the event loop, memory, CPU and garbage collection. Returns the function that reads them. Of several
 * processes on a machine, the slowest event loop counts.
 */
export function openRuntimeMetrics(): () => Promise<Snapshot['runtime']> {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: samplingIntervalMs })
  return async () => {
    const metrics = await registry.getMetricsAsJSON()
    return metrics.filter(isWellNamed).map(metric => {
      if (metric.name.startsWith('nodejs_eventloop_lag')) return { ...metric, aggregator: 'max' }
      return metric.name === 'process_start_time_seconds' ? { ...metric, aggregator: 'min' } : metric
    })
  }
}

/** Whether the name of a metric fits its type. Gauges of active handles are named like counters, and show little. */
function isWellNamed({ name }: { name: string }): boolean {
  return !name.startsWith('nodejs_active_')
}
