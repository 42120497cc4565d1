import type { Target } from '../scenarios/scenario.ts'

/** Whether a target is met, and what it was, in words. */
export interface Verdict {
  target: string
  isMet: boolean
}

/** Holds what was measured against a target. */
export function judge(target: Target, measured: { ratio: number; addedP50Ms: number }): Verdict {
  if (target.kind === 'ratio')
    return { target: `≥ ${target.atLeast.toFixed(2)}`, isMet: measured.ratio >= target.atLeast }
  return { target: `≤ ${target.atMostMs} ms added`, isMet: measured.addedP50Ms <= target.atMostMs }
}

/** Holds a figure against the most that it may be; `say` puts that in words. Undefined without a limit. */
export function judgeAtMost(
  limit: number | undefined,
  measured: number,
  say: (limit: number) => string,
): Verdict | undefined {
  return limit === undefined ? undefined : { target: `≤ ${say(limit)}`, isMet: measured <= limit }
}
