import { randomUUID } from 'node:crypto'
import type { Clock } from '../platform/clock.ts'
import { getOrCreate } from '../platform/get-or-create.ts'
import { minuteOf } from '../platform/redis/minute-counts.ts'
import { type RedisClient, runPipeline } from '../platform/redis/open-redis.ts'
import {
  type BreakerReport,
  breakersName,
  callField,
  callMinutes,
  callsName,
  printBreakers,
  reportIntervalMs,
} from '../schema/vendor-reports.ts'
import { readBreakerName } from './targets.ts'
import type { BreakerState, UpstreamMetrics } from './upstream-metrics.ts'

/** The parts of a process that are reported. */
interface Reported {
  redis: RedisClient
  prefix: string
  clock: Clock
  metrics: Pick<UpstreamMetrics, 'totals'>
  breakers: { states(): readonly BreakerState[] }
}

/**
 * Reports the calls and breakers of this process to Redis at every interval, for operators. Requests are not affected:
 * the counts exist for the metrics in any case. Returns the function that stops it.
 */
export function reportVendors(reported: Reported): () => void {
  const report = openVendorReport(reported)
  const timer = setInterval(() => void report(), reportIntervalMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** Returns the function that reports once. Calls whose report failed are reported again. It never throws. */
export function openVendorReport({ redis, prefix, clock, metrics, breakers }: Reported): () => Promise<void> {
  const processId = randomUUID()
  const reported = new Map<string, number>()
  let isReporting = false
  return async () => {
    if (isReporting) return
    isReporting = true
    const calls = callsName(prefix, minuteOf(clock))
    const interval = breakersName(prefix, Math.floor(clock.now() / reportIntervalMs))
    const totals = [...metrics.totals()].map(
      ({ vendor, credential, outcome, value }) => [callField(vendor, credential, outcome), value] as const,
    )
    const pipeline = redis.pipeline()
    for (const [field, value] of totals) {
      const added = value - (reported.get(field) ?? 0)
      if (added > 0) pipeline.hincrby(calls, field, added)
    }
    pipeline.expire(calls, (callMinutes + 1) * 60)
    pipeline.hset(interval, processId, printBreakers(breakerReports(breakers.states())))
    pipeline.pexpire(interval, 3 * reportIntervalMs)
    const answers = await runPipeline(pipeline).catch(() => null)
    isReporting = false
    if (!answers || answers.some(([error]) => error !== null)) return
    for (const [field, value] of totals) reported.set(field, value)
  }
}

/** Combines the breakers of each credential. */
function breakerReports(states: readonly BreakerState[]): BreakerReport[] {
  const byName = new Map<string, BreakerReport>()
  for (const { credential: name, isShared, isOpen } of states) {
    const { vendor, credential } = readBreakerName(name)
    const report = getOrCreate(byName, `${vendor} ${credential}`, () => ({
      vendor,
      credential,
      isOpen: false,
      openAccounts: 0,
    }))
    if (isShared) report.isOpen = isOpen
    else if (isOpen) report.openAccounts += 1
  }
  return [...byName.values()]
}
