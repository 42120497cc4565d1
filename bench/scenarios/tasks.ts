import { setTimeout as sleep } from 'node:timers/promises'
import { measureCpu } from '../measure/process-tree.ts'
import { latencies } from '../measure/statistics.ts'
import { row } from '../report/result.ts'
import { submitVideo } from '../rounds/submit-video.ts'
import { withBooksChecked } from '../system/check-books.ts'
import type { System } from '../system/start-system.ts'
import type { RunOptions, Scenario } from './scenario.ts'

const connections = 50
/** Number of tasks that are submitted after the measured ones. */
const running = 1_000
const directions = { latencyMs: 3_000, bytes: 10_000 }

/** The share of tasks whose ends count for the rate: at the start and the end, too few run at the same time. */
const middle = { from: 0.05, to: 0.9 }
/** Maximum time without an ended task, in milliseconds. */
const stuckMs = 30_000

/** The cost of a task from submit to end. */
export const tasks: Scenario = {
  name: 'tasks',
  description: 'videos submitted on 50 connections, then completed by one worker, 1,000 running or more',
  run: (system, options) =>
    withBooksChecked(system.context, async () => {
      const submitted = await submitTasks(system, options)
      const completed = await completeTasks(system)
      const faults = [...submitted.faults]
      if (completed.open > 0) faults.push(`${completed.open} tasks have not ended`)
      return {
        rows: [
          row('submits', submitted.figures, { 'per second': { min: 300 } }),
          row('completed', completed.figures, { 'per second': { min: 100 } }),
        ],
        faults,
        answers: completed.figures.tasks,
      }
    }),
}

/** Submits in a closed loop for the time of a round, then submits the remaining tasks. */
async function submitTasks({ ports, keys }: System, { lengths }: RunOptions) {
  const faults = new Set<string>()
  const durationsMs: number[] = []
  let turn = 0
  const loop = async (isOver: () => boolean) => {
    while (!isOver() && faults.size === 0) {
      const startedAt = performance.now()
      const key = keys[turn++ % keys.length]!
      await submitVideo(ports.edge, { key, directions }).catch(error => faults.add(error.message))
      durationsMs.push(performance.now() - startedAt)
    }
  }
  const submitUntil = (isOver: () => boolean) =>
    Promise.all(Array.from({ length: connections }, () => loop(isOver)))
  const submitFor = async (plannedSeconds: number) => {
    durationsMs.length = 0
    const startedAt = performance.now()
    await submitUntil(() => performance.now() > startedAt + plannedSeconds * 1000)
    return (performance.now() - startedAt) / 1000
  }
  await submitFor(lengths.warmUpSeconds)
  const seconds = await submitFor(lengths.seconds)
  const figures = { 'per second': durationsMs.length / seconds, ...latencies(durationsMs) }
  const enough = turn + running
  await submitUntil(() => turn >= enough)
  return { figures, faults }
}

/** Starts a worker and waits until all tasks have ended, or none ends for `stuckMs`. */
async function completeTasks({ startWorker, context: { sql }, pids }: System) {
  const countOpen = async () => {
    const [counted] = await sql<{ open: number; at: Date }[]>`
      select count(*)::int as open, clock_timestamp() as at from tasks where finished_at is null`
    return counted!
  }
  const { open: submitted, at: startedAt } = await countOpen()
  await using worker = await startWorker()
  const { result: leftOpen, cpuSeconds } = await measureCpu(
    { worker: worker.pid, postgres: pids.postgres! },
    async () => {
      let open = submitted
      for (let changedAt = performance.now(); open > 0 && performance.now() - changedAt < stuckMs; ) {
        await sleep(500)
        const now = await countOpen()
        if (now.open !== open) changedAt = performance.now()
        open = now.open
      }
      return open
    },
  )
  const ends = await sql<{ at: number }[]>`
    select extract(epoch from finished_at)::float8 as at from tasks
    where finished_at > ${startedAt} and status = 'success' order by finished_at`
  const [from, to] = [Math.floor(ends.length * middle.from), Math.floor(ends.length * middle.to)]
  const figures = {
    tasks: submitted,
    'per second': (to - from) / ((ends[to]?.at ?? Number.NaN) - (ends[from]?.at ?? Number.NaN)),
    'worker CPU ms each': (cpuSeconds.worker! * 1000) / submitted,
    'postgres CPU ms each': (cpuSeconds.postgres! * 1000) / submitted,
  }
  return { figures, open: leftOpen }
}
