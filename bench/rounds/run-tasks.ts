import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { readCpuSeconds } from '../measure/measure-cpu.ts'
import { median, percentile } from '../measure/percentile.ts'
import type { Tasks } from '../scenarios/scenario.ts'
import { checkLedger, countSettled } from '../system/check-ledger.ts'
import type { System } from '../system/start-system.ts'
import { writeMediaDirections } from '../upstream/media.ts'
import type { Verdict } from './judge.ts'
import type { Lengths } from './plan-round.ts'

/** What tasks cost. */
export interface TasksReport {
  name: string
  says: string
  submitsPerSecond: number
  submitP50Ms: number
  submitP99Ms: number
  /** Tasks that were carried to their end in all, and how many of them in a second. */
  tasks: number
  finishedPerSecond: number
  /** CPU seconds per 1,000 tasks while they were carried, by process. */
  cpuPerThousand: Record<string, number>
  verdict: Verdict | undefined
  faults: string[]
}

/** The last and first tasks of a run are left out of its rate: nothing else is under way with them. */
const middle = { from: 0.05, to: 0.9 }

/** Submits tasks while no worker runs, then starts a worker and waits until all tasks have ended. */
export async function runTasks(
  system: System,
  { scenario, lengths }: { scenario: Tasks; lengths: Lengths },
): Promise<TasksReport> {
  const { name, says } = scenario
  const settledBefore = await countSettled(system.context)
  const submitted = await submitTasks(system, { scenario, lengths })
  const carried = await carryTasks(system)
  const { tasks } = carried
  const faults = [
    ...submitted.faults,
    ...(await checkLedger(system.context, { settledBefore, answers: tasks })),
  ]
  if (carried.open > 0) faults.push(`${carried.open} tasks have not ended`)
  return {
    name,
    says,
    ...submitted,
    ...carried,
    verdict: judge(scenario, { ...submitted, ...carried }),
    faults,
  }
}

/** Submits in a closed loop for the time of a round, then submits the remaining tasks. */
async function submitTasks(
  { ports, keys }: System,
  { scenario: { tasks }, lengths }: { scenario: Tasks; lengths: Lengths },
) {
  const { connections, running, durationMs, bytes } = tasks
  const pool = new Pool(`http://127.0.0.1:${ports.edge}`, { connections })
  const body = JSON.stringify({ model: 'vendor_i/reel', prompt: writeMediaDirections({ durationMs, bytes }) })
  const faults = new Set<string>()
  const times: number[] = []
  let turn = 0
  const submit = async () => {
    const key = keys[turn++ % keys.length] ?? ''
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const { statusCode, body: answer } = await pool.request({
      path: '/v1/videos/generations',
      method: 'POST',
      headers,
      body,
    })
    const text = await answer.text()
    if (statusCode !== 200) faults.add(`a submit was answered with ${statusCode}: ${text.slice(0, 200)}`)
  }
  const loop = async (until: () => boolean) => {
    while (!until() && faults.size === 0) {
      const since = performance.now()
      await submit()
      times.push(performance.now() - since)
    }
  }
  const inParallel = (until: () => boolean) =>
    Promise.all(Array.from({ length: connections }, () => loop(until)))

  const warmUntil = performance.now() + lengths.warmUpSeconds * 1000
  await inParallel(() => performance.now() > warmUntil)
  times.length = 0
  const since = performance.now()
  const until = since + lengths.seconds * 1000
  await inParallel(() => performance.now() > until)
  const submitsPerSecond = times.length / ((performance.now() - since) / 1000)
  const [submitP50Ms, submitP99Ms] = [median(times), percentile(times, 0.99)]
  const enough = turn + running
  await inParallel(() => turn >= enough)
  await pool.close()
  return { submitsPerSecond, submitP50Ms, submitP99Ms, faults: [...faults] }
}

/** Maximum time without an ended task, in milliseconds. */
const stuckMs = 30_000

async function carryTasks({ startWorker, context: { sql }, pids }: System) {
  const [before] = await sql<{ open: number; at: Date }[]>`
    select count(*)::int as open, clock_timestamp() as at from tasks where finished_at is null`
  const tasks = before?.open ?? 0
  const worker = await startWorker()
  const counted = { worker: worker.pid, postgres: pids.postgres ?? 0 }
  const cpuBefore = readCpuSeconds(counted)
  let open = tasks
  try {
    for (let changedAt = performance.now(); open > 0 && performance.now() - changedAt < stuckMs; ) {
      await sleep(500)
      const [row] = await sql<
        { open: number }[]
      >`select count(*)::int as open from tasks where finished_at is null`
      if (row && row.open !== open) {
        open = row.open
        changedAt = performance.now()
      }
    }
    const cpuAfter = readCpuSeconds(counted)
    const rows = await sql<{ at: number }[]>`
      select extract(epoch from finished_at)::float8 as at from tasks
      where finished_at > ${before?.at ?? null} and status = 'success' order by finished_at`
    const [from, to] = [Math.floor(rows.length * middle.from), Math.floor(rows.length * middle.to)]
    const seconds = (rows[to]?.at ?? Number.NaN) - (rows[from]?.at ?? Number.NaN)
    const cpuPerThousand = Object.fromEntries(
      Object.entries(cpuAfter).map(([name, used]) => [
        name,
        ((used - (cpuBefore[name] ?? 0)) * 1000) / tasks,
      ]),
    )
    return { tasks, open, finishedPerSecond: (to - from) / seconds, cpuPerThousand }
  } finally {
    await worker.stop()
  }
}

function judge(
  { atLeastSubmitsPerSecond: submits, atLeastFinishedPerSecond: finished }: Tasks,
  measured: Pick<TasksReport, 'submitsPerSecond' | 'finishedPerSecond'>,
): Verdict | undefined {
  if (submits === undefined || finished === undefined) return undefined
  const isMet = measured.submitsPerSecond >= submits && measured.finishedPerSecond >= finished
  return { target: `≥ ${submits} submits/s, ≥ ${finished} finished/s`, isMet }
}
