import { percentile } from '../measure/percentile.ts'
import { findFault } from './check-answer.ts'
import type { LoadFailure, LoadPlan, LoadResult } from './plan.ts'

/** Counts answers and how long they took. */
export interface Tally {
  /** The moments, by `performance.now()`, between which answers count, and when to stop asking. */
  readonly countsFrom: number
  readonly endsAt: number
  /** A request that was due at `dueAt` was sent now. */
  sent(dueAt: number): void
  answer(answer: Buffer, dueAt: number): void
  fault(reason: string): void
  result(): LoadResult | LoadFailure
}

/** Maximum number of faults that are described. */
const maxReportedFaults = 5

export function openTally(plan: LoadPlan): Tally {
  const countsFrom = performance.now() + plan.warmUpSeconds * 1000
  const endsAt = countsFrom + plan.seconds * 1000
  const faults = new Set<string>()
  const tookMs: number[] = []
  const refusedMs: number[] = []
  const lateMs: number[] = []
  let answers = 0
  let wrong = 0

  function fault(reason: string): void {
    wrong++
    if (faults.size < maxReportedFaults) faults.add(reason)
  }

  return {
    countsFrom,
    endsAt,
    fault,
    sent(dueAt) {
      const now = performance.now()
      if (now >= countsFrom && now < endsAt) lateMs.push(now - dueAt)
    },
    answer(answer, dueAt) {
      const now = performance.now()
      const counts = now >= countsFrom && now < endsAt
      if (plan.mayBeRefused && isRefusal(answer)) {
        if (counts) refusedMs.push(now - dueAt)
        return
      }
      const reason = findFault(plan, answer)
      if (reason) return fault(reason)
      answers++
      if (counts) tookMs.push(now - dueAt)
    },
    result() {
      if (tookMs.length === 0) return { faults: ['no right answer in time', ...faults] }
      const perSecond = tookMs.length / plan.seconds
      const [p50Ms, p99Ms] = [percentile(tookMs, 0.5), percentile(tookMs, 0.99)]
      const refused = {
        refusedPerSecond: refusedMs.length / plan.seconds,
        refusedP50Ms: refusedMs.length > 0 ? percentile(refusedMs, 0.5) : 0,
        refusedP99Ms: refusedMs.length > 0 ? percentile(refusedMs, 0.99) : 0,
      }
      const lateP99Ms = lateMs.length > 0 ? percentile(lateMs, 0.99) : 0
      return { answers, perSecond, p50Ms, p99Ms, ...refused, lateP99Ms, wrong, faults: [...faults] }
    },
  }
}

const refusal = Buffer.from('HTTP/1.1 503 ')

function isRefusal(answer: Buffer): boolean {
  return answer.subarray(0, refusal.length).equals(refusal)
}
