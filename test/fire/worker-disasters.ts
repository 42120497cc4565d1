import { setTimeout as sleep } from 'node:timers/promises'
import { readTree } from '../../bench/measure/process-tree.ts'
import type { Disaster } from './disasters.ts'
import type { System } from './start-system.ts'

/** What goes wrong with workers beside their death. */
export const workerDisasters: readonly Disaster[] = [
  { name: 'a worker freezes, and another goes on', happen: freezeWorker },
  { name: "the worker's clock is 75 days ahead", happen: runAhead },
]

/** Time within which another worker must have taken over what a frozen one owned. */
const takenOverWithinMs = 40_000

/** Throws if tasks and chores of the frozen worker make no progress. */
async function freezeWorker({ worker, startWorker, context }: System): Promise<void> {
  const other = await startWorker()
  const pids = readTree(worker.service.pid).map(({ pid }) => pid)
  const [frozen] = await context.sql<{ at: Date }[]>`select clock_timestamp() as at`
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  try {
    await until(takenOverWithinMs, async () => {
      const [row] = await context.sql<{ isTakenOver: boolean }[]>`
        select exists (select from workers where is_dead and heartbeat_at > ${frozen!.at} - interval '5 seconds')
          and not exists (
            select from tasks t join workers w on w.id = t.worker where w.is_dead) as "isTakenOver"`
      return row?.isTakenOver === true
    })
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGCONT')
  }
  await sleep(2_000)
  await other.stop(10_000)
}

/** Throws if a chore deleted what is not old. */
async function runAhead({ worker, startWorker, context: { sql, logs } }: System): Promise<void> {
  const kept = async () => {
    const inMain = await sql`
      select (select count(*) from pg_inherits where inhparent = 'request_logs'::regclass) as partitions,
        (select count(*) from idempotency_keys) > 0 as "hasKeys"`
    const inLogs = await logs!`
      select (select count(*) from pg_inherits where inhparent = 'request_logs'::regclass) as partitions,
        (select count(*) from usage_totals where day < now()::date + 1) > 0 as "hasUsage"`
    return [...inMain, ...inLogs]
  }
  const before = await kept()
  await worker.service.stop(10_000)
  await sql`update chores set due_at = clock_timestamp()`
  const ahead = await startWorker({
    NODE_OPTIONS: `--import ${new URL('./clock-ahead.mjs', import.meta.url)}`,
  })
  await until(
    30_000,
    async () => (await sql`select from chores where due_at <= clock_timestamp()`).length === 0,
  )
  await sleep(2_000)
  await ahead.stop(10_000)
  worker.service = await worker.start()
  const after = await kept()
  if (JSON.stringify(after, text) !== JSON.stringify(before, text))
    throw new Error(`a clock ahead deleted rows: ${JSON.stringify({ before, after }, text)}`)
}

const text = (_: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)

async function until(withinMs: number, isSo: () => Promise<boolean>): Promise<void> {
  for (const begunAt = performance.now(); !(await isSo()); await sleep(250))
    if (performance.now() - begunAt > withinMs)
      throw new Error('what a worker owned was not taken over in time')
}
