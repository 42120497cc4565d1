import type { Agent } from 'undici'
import { getOrCreate } from '../platform/get-or-create.ts'
import type { Distribution } from '../platform/metrics/distribution.ts'
import type { Count, Metrics } from '../platform/metrics/open-metrics.ts'
import { type CallOutcome, ownCredential } from '../schema/vendor-reports.ts'
import { readBreakerName, type Target } from './targets.ts'
import type { UpstreamFailure } from './upstream-failure.ts'

/** The metrics of calls to vendors. */
export interface UpstreamMetrics {
  /** Counts a call, with the time until it failed, or until its answer or the first chunk of a stream had arrived. */
  count(target: Target, end: { durationMs: number; failure: UpstreamFailure | undefined }): void
  /** Returns the number of calls since the process started, by vendor, credential and outcome. */
  totals(): Iterable<CallTotal>
}

/** The number of calls with one credential and outcome. */
export interface CallTotal {
  vendor: string
  credential: string
  outcome: CallOutcome
  value: number
}

/** Declares the metrics of calls to vendors. Credentials of accounts have one label, `own`. */
export function openUpstreamMetrics(metrics: Metrics): UpstreamMetrics {
  const attempts = metrics.counter({
    name: 'rubicon_attempts_total',
    help: 'Calls to vendors by credential (own, or the name of a platform credential) and outcome.',
    labels: ['vendor', 'credential', 'outcome'],
  })
  const durations = metrics.histogram({
    name: 'rubicon_attempt_seconds',
    help: 'Time of a successful call until its answer, or the first chunk of a stream, had arrived.',
    labels: ['vendor'],
    buckets: { first: 0.01, factor: 2, count: 14 },
  })
  const counts = new Map<string, Map<string, Map<CallOutcome, Count>>>()
  const times = new Map<string, Distribution>()
  return {
    count({ vendor, byokId, credentialName = 'default' }, { durationMs, failure }) {
      const credential = byokId === undefined ? credentialName : ownCredential
      const outcome = outcomeOf(failure)
      const byCredential = getOrCreate(counts, vendor, () => new Map<string, Map<CallOutcome, Count>>())
      const byOutcome = getOrCreate(byCredential, credential, () => new Map<CallOutcome, Count>())
      getOrCreate(byOutcome, outcome, () => attempts.of(vendor, credential, outcome)).value += 1
      if (!failure) getOrCreate(times, vendor, () => durations.of(vendor)).observe(durationMs / 1000)
    },
    *totals() {
      for (const [vendor, byCredential] of counts)
        for (const [credential, byOutcome] of byCredential)
          for (const [outcome, { value }] of byOutcome) yield { vendor, credential, outcome, value }
    },
  }
}

/** `answered`, or how the call failed. */
function outcomeOf(failure: UpstreamFailure | undefined): CallOutcome {
  return failure?.kind ?? 'answered'
}

/** A breaker, by the name of its credential (`breakerName`). */
export interface BreakerState {
  credential: string
  /** Whether all accounts share it. */
  isShared: boolean
  isOpen: boolean
}

/** Declares the metrics of the breakers, and of the connections to the vendors that the operator configured. */
export function observeUpstreams(
  metrics: Metrics,
  { breakers, dispatcher }: { breakers: { states(): readonly BreakerState[] }; dispatcher: Agent },
): void {
  metrics.read(
    {
      name: 'rubicon_breaker_open',
      help: 'Whether the breaker that all accounts share is open, by platform credential.',
      labels: ['vendor', 'credential'],
      type: 'gauge',
      aggregation: 'max',
    },
    report => {
      for (const { credential: name, isShared, isOpen } of breakers.states()) {
        const { vendor, credential } = readBreakerName(name)
        if (isShared) report(isOpen ? 1 : 0, vendor, credential)
      }
    },
  )
  metrics.read(
    {
      name: 'rubicon_account_breakers_open',
      help: 'Open breakers of single accounts, by vendor and credential (own, or the name of a platform credential).',
      labels: ['vendor', 'credential'],
      type: 'gauge',
    },
    report => {
      const open = new Map<string, Map<string, number>>()
      for (const { credential: name, isShared } of breakers.states()) {
        const { vendor, credential } = readBreakerName(name)
        const counted = getOrCreate(open, vendor, () => new Map<string, number>())
        counted.set(credential, (counted.get(credential) ?? 0) + (isShared ? 0 : 1))
      }
      for (const [vendor, counted] of open)
        for (const [credential, count] of counted) report(count, vendor, credential)
    },
  )
  metrics.read(
    {
      name: 'rubicon_vendor_connections',
      help: "Connections to the platform's vendors, requests that run on them, and requests that wait for one (queued).",
      labels: ['state'],
      type: 'gauge',
    },
    report => {
      const sum = { connected: 0, running: 0, queued: 0 }
      for (const stats of Object.values(dispatcher.stats)) {
        sum.connected += Number(stats.connected)
        sum.running += stats.running
        sum.queued += 'queued' in stats ? stats.queued : 0
      }
      for (const [state, count] of Object.entries(sum)) report(count, state)
    },
  )
}
