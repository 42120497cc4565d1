import { medianOf } from '../measure/statistics.ts'
import { type Row, row } from '../report/result.ts'
import { ratioOf } from '../rounds/run-pairs.ts'
import { type Round, runRound } from '../rounds/run-round.ts'
import { untilSteady } from '../rounds/warm-up.ts'
import type { System } from '../system/start-system.ts'
import type { RunOptions, Scenario } from './scenario.ts'

const shape = { connections: 50 }

/** Number of keys that exist. */
const keys = 100_000
const quickKeys = 10_000

/** Maximum number of requests of a round. A round has fewer, so that it uses no position twice. */
const maxRequests = 50_000

/** Maximum CPU per request, relative to ten keys. */
const maxCpuRatio = 1.1

/** Which keys requests use, and their rounds. */
interface Step {
  label: string
  /** Returns the positions of the keys that the next round uses, of `count` keys. */
  choose(count: number, requestsSoFar: number): number[]
  requests: number
  rounds: Round[]
}

/**
 * What grows with the number of keys. 100,000 keys exist. Requests take turns on 10, on 1,000 or on all of them, or prefer few
 * keys. The kinds of rounds alternate. In turns on all keys, each request is the first one of its key since the edge released
 * the key's hold.
 */
export const growth: Scenario = {
  name: 'growth-keys',
  description: '100,000 keys, of which requests use few or all; 50 connections',
  async run(system, { rounds, lengths, isQuick }) {
    await system.openKeys(isQuick ? quickKeys : keys)
    const steps: Step[] = [
      { label: '10 keys', choose: () => inTurn(10), requests: 0, rounds: [] },
      { label: '1,000 keys', choose: () => inTurn(1_000), requests: 0, rounds: [] },
      { label: '100,000 keys, the n-th used n times less', choose: preferFew, requests: 0, rounds: [] },
      { label: '100,000 keys in turn', choose: inTurnFrom, requests: 0, rounds: [] },
    ]
    await untilSteady(system, 'edge', { shape, keys: 1_000 })
    const faults: string[] = []
    for (let turn = 0; turn <= rounds; turn++)
      for (const step of steps) {
        const round = await measure(system, step, lengths)
        faults.push(...round.faults)
        if (turn > 0) step.rounds.push(round) // the first turn is cold
      }
    return { rows: steps.map(step => rowOf(step, steps[0]!)), faults, data: steps }
  },
}

async function measure(system: System, step: Step, lengths: RunOptions['lengths']): Promise<Round> {
  const positions = step.choose(system.keys.length, step.requests)
  const round = await runRound(system, { load: { shape, keys: positions.length, positions }, lengths })
  step.requests += round.answers
  return round
}

function inTurn(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at)
}

/** Continues where the last round ended, so that a key has its turn again only after all others. */
function inTurnFrom(count: number, requestsSoFar: number): number[] {
  return Array.from({ length: Math.min(count, maxRequests) }, (_, at) => (requestsSoFar + at) % count)
}

/** Draws positions of which the n-th has a probability proportional to 1/n, as the sizes of customers often are. */
function preferFew(count: number): number[] {
  const draw = () => Math.floor((count + 1) ** Math.random()) - 1
  return Array.from({ length: Math.min(count, maxRequests) }, draw)
}

function rowOf({ label, rounds }: Step, base: Step): Row {
  const cpu = (process: string) => (round: Round) => round.cpuMs[process] ?? Number.NaN
  const figures = {
    'requests/s': medianOf(rounds, ({ perSecond }) => perSecond),
    'p50 ms': medianOf(rounds, ({ p50Ms }) => p50Ms),
    'edge CPU ms': medianOf(rounds, cpu('edge')),
    'postgres CPU ms': medianOf(rounds, cpu('postgres')),
    'redis CPU ms': medianOf(rounds, cpu('redis')),
  }
  if (label === base.label) return row(label, figures)
  const ratio = (process: string) => ratioOf({ base: base.rounds, other: rounds }, cpu(process)).ratio
  return row(
    label,
    { ...figures, 'edge CPU ratio': ratio('edge'), 'postgres CPU ratio': ratio('postgres') },
    { 'edge CPU ratio': { max: maxCpuRatio }, 'postgres CPU ratio': { max: maxCpuRatio } },
  )
}
