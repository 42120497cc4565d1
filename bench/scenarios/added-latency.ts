import type { FloorScenario } from './scenario.ts'

/** What a client waits longer for, when there is no rush. */
export const addedLatency: FloorScenario[] = [
  {
    name: 'latency-500',
    says: '500 requests/s, 50 keys, 50 ms upstream',
    load: { shape: { perSecond: 500 }, keys: 50, upstreamLatencyMs: 50 },
    target: { kind: 'added', atMostMs: 5 },
  },
]
