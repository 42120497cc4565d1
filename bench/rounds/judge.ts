import type { Targets } from '../scenarios/scenario.ts'

/** Whether a target is met, and what it was, in words. */
export interface Verdict {
  target: string
  isMet: boolean
}

/** Holds what was measured against its targets; undefined where there is none. */
export function judge(targets: Targets = {}, measured: Required<Targets>): Verdict | undefined {
  const judged: Verdict[] = []
  for (const name of Object.keys(targets) as (keyof Targets)[]) {
    const target = targets[name]!
    const isMet = name === 'ratio' ? measured.ratio >= target : measured[name] <= target
    judged.push({
      target: `${phrases[name](target)}${isMet ? '' : ` (is ${figure(measured[name])})`}`,
      isMet,
    })
  }
  if (judged.length === 0) return undefined
  return {
    target: judged.map(({ target }) => target).join(', '),
    isMet: judged.every(({ isMet }) => isMet),
  }
}

const phrases: Record<keyof Targets, (target: number) => string> = {
  ratio: target => `≥ ${target.toFixed(2)}`,
  edgeCpu: target => `CPU ≤ ${target} floors`,
  postgresMs: target => `Postgres ≤ ${target} ms`,
  addedP50Ms: target => `p50 ≤ ${target} ms added`,
  addedP99Ms: target => `p99 ≤ ${target} ms added`,
}

function figure(value: number): string {
  return value.toFixed(value < 0.1 ? 3 : 2)
}

/** Holds a figure against the most that it may be; `say` puts that in words. Undefined without a limit. */
export function judgeAtMost(
  limit: number | undefined,
  measured: number,
  say: (limit: number) => string,
): Verdict | undefined {
  return limit === undefined ? undefined : { target: `≤ ${say(limit)}`, isMet: measured <= limit }
}
