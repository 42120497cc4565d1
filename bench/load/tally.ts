import { percentile } from '../measure/statistics.ts'
import { findFault } from './check-answer.ts'
import type { LoadPlan, LoadResult } from './plan.ts'

/** Counts responses and their durations. All times are from `performance.now()`. */
export interface Tally {
  /** When clients stop sending requests. */
  readonly endsAt: number
  /** Counts a request that is sent now and was due at `dueAt`. */
  sent(dueAt: number): void
  answer(answer: Buffer, dueAt: number): void
  fault(reason: string): void
  result(): LoadResult
}

/** Maximum number of faults that are described. */
const maxReportedFaults = 5

const refusal = Buffer.from('HTTP/1.1 503 ')

export function openTally(plan: LoadPlan): Tally {
  const countsFrom = performance.now() + plan.warmUpSeconds * 1000
  const endsAt = countsFrom + plan.seconds * 1000
  const faults = new Set<string>()
  const durationsMs: number[] = []
  const refusedMs: number[] = []
  const lateMs: number[] = []
  let answers = 0
  let wrong = 0

  function fault(reason: string): void {
    wrong++
    if (faults.size < maxReportedFaults) faults.add(reason)
  }

  /** Adds the time since `dueAt` if responses count now. */
  function add(durations: number[], dueAt: number): void {
    const now = performance.now()
    if (now >= countsFrom && now < endsAt) durations.push(now - dueAt)
  }

  return {
    endsAt,
    fault,
    sent: dueAt => add(lateMs, dueAt),
    answer(answer, dueAt) {
      if (plan.mayBeRefused && answer.subarray(0, refusal.length).equals(refusal))
        return add(refusedMs, dueAt)
      const reason = findFault(plan, answer)
      if (reason) return fault(reason)
      answers++
      add(durationsMs, dueAt)
    },
    result: () => ({
      answers,
      perSecond: durationsMs.length / plan.seconds,
      p50Ms: percentile(durationsMs, 0.5),
      p99Ms: percentile(durationsMs, 0.99),
      refusedPerSecond: refusedMs.length / plan.seconds,
      refusedP50Ms: percentile(refusedMs, 0.5) || 0,
      refusedP99Ms: percentile(refusedMs, 0.99) || 0,
      lateP99Ms: percentile(lateMs, 0.99) || 0,
      wrong,
      faults: [...faults],
    }),
  }
}
