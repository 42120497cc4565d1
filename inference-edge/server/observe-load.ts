import type { Metrics } from '../../platform/metrics/open-metrics.ts'
import { activeRequests, type Load } from './shed-load.ts'

/** Declares the metrics of a process's load. The autoscaler of the edges reads the first (deploy/kubernetes). */
export function observeLoad(metrics: Metrics, load: Load): void {
  metrics.read(
    {
      name: 'rubicon_requests_in_flight',
      help: 'Requests of /v1 in progress, including requests that wait to begin.',
      type: 'gauge',
    },
    report => report(load.inFlight + load.queued),
  )
  metrics.read(
    {
      name: 'rubicon_requests_active',
      help: 'Requests in progress that do not wait for their vendor or client. Above rubicon_requests_active_limit, requests are refused.',
      type: 'gauge',
    },
    report => report(activeRequests(load)),
  )
  metrics.read(
    {
      name: 'rubicon_requests_active_limit',
      help: 'Number of active requests above which requests are refused with 503. It adapts to the event loop.',
      type: 'gauge',
    },
    report => report(Math.round(load.maxActive)),
  )
}
