import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { readTree } from '../../bench/measure/process-tree.ts'
import type { Part, System } from './start-system.ts'

/** Something that goes wrong while customers ask. */
export interface Disaster {
  name: string
  /** Lets it happen, and resolves when everything has been started again. */
  happen(system: System): Promise<unknown>
}

/** All disasters, in order of their effect on the ledger. Each runs once per cycle. */
export const disasters: Disaster[] = [
  { name: 'nothing but load', happen: () => sleep(1_000) },
  { name: 'an edge is killed', happen: ({ edges }) => killed(edges[0]) },
  { name: 'both edges are killed', happen: ({ edges }) => Promise.all(edges.map(killed)) },
  { name: 'an edge is told to end', happen: ({ edges }) => ended(edges[1]) },
  { name: 'an edge stands still for 2 s', happen: ({ edges }) => stopped(edges[0], 2) },
  { name: 'an edge stands still for 14 s', happen: ({ edges }) => stopped(edges[1], 14) },
  { name: 'the committer is killed', happen: system => killCommitter(system) },
  { name: 'the committer and its edges are killed', happen: system => killBelowPrimary(system) },
  {
    name: 'the committer stands still for 3 s',
    happen: ({ edges }) => stoppedPids([committerOf(edges[1])], 3),
  },
  {
    name: 'the committer stands still for 14 s',
    happen: ({ edges }) => stoppedPids([committerOf(edges[1])], 14),
  },
  { name: 'the worker is killed', happen: ({ worker }) => killed(worker) },
  {
    name: 'edge and worker are killed',
    happen: ({ worker, edges }) => Promise.all([worker, edges[1]].map(killed)),
  },
  { name: 'Redis is killed', happen: ({ redis }) => killed(redis) },
  { name: 'Redis is unavailable for 3 s', happen: ({ redis }) => killed(redis, 3_000) },
  { name: 'Redis hangs for 2 s', happen: ({ redis }) => stopped(redis, 2) },
  { name: 'Redis forgets everything', happen: ({ context }) => context.redis.flushdb() },
  { name: 'connections to PostgreSQL are cut', happen: cutConnections },
  { name: 'PostgreSQL is restarted', happen: ({ postgres }) => ended(postgres) },
  { name: 'PostgreSQL is killed', happen: ({ postgres }) => killed(postgres) },
  { name: 'PostgreSQL is unavailable for 4 s', happen: ({ postgres }) => killed(postgres, 4_000) },
  { name: 'PostgreSQL hangs for 3 s', happen: ({ postgres }) => stopped(postgres, 3) },
  { name: 'the log database is killed, and unavailable for 8 s', happen: ({ logs }) => killed(logs, 8_000) },
  { name: 'the log database hangs for 12 s', happen: ({ logs }) => stopped(logs, 12) },
  { name: 'PostgreSQL accepts no writes for 3 s', happen: refuseWrites },
  {
    name: 'PostgreSQL and an edge are killed',
    happen: ({ postgres, edges }) => Promise.all([killed(postgres), killed(edges[0])]),
  },
  { name: 'what an edge says to PostgreSQL comes 5 s late', happen: stalled },
  { name: 'balances are locked for 3 s', happen: ({ context }) => lockBalances(context, () => sleep(3_000)) },
  {
    name: 'both edges are killed before they post',
    happen: ({ context, edges }) =>
      lockBalances(context, async () => {
        await sleep(2_000)
        await Promise.all(edges.map(killed))
      }),
  },
]

/** Maximum number of looks for a committer's successor, one every 100 ms. */
const maxTries = 300

async function killed(part: Part, awayMs = 0): Promise<void> {
  process.kill(part.service.pid, 'SIGKILL')
  await part.service.ended
  await sleep(awayMs)
  part.service = await startAgain(part)
}

async function ended(part: Part): Promise<void> {
  await part.service.stop(10_000)
  part.service = await startAgain(part)
}

/** An edge needs its database to start; that may just be starting as well. */
async function startAgain(part: Part): Promise<Part['service']> {
  for (let tries = 1; ; tries++) {
    try {
      return await part.start()
    } catch (error) {
      if (tries === 5) throw error
      await sleep(1_000)
    }
  }
}

/** Stops a process with its descendants. */
function stopped({ service }: Part, seconds: number): Promise<void> {
  return stoppedPids(
    readTree(service.pid).map(({ pid }) => pid),
    seconds,
  )
}

/** Kills the committer of the second edge, and waits until its successor continues its holds. */
async function killCommitter({ edges, context: { sql } }: System): Promise<void> {
  process.kill(committerOf(edges[1]), 'SIGKILL')
  const [row] = await sql<{ at: Date }[]>`select clock_timestamp() + interval '0.5 s' as at`
  for (let tries = 0; tries < maxTries; tries++) {
    const beats = await sql`select 1 from processes where kind = 'committer' and heartbeat_at > ${row!.at}`
    if (beats.length > 0) return
    await sleep(100)
  }
}

/** Kills the committer of the second edge and the processes that it serves, and waits for their successors. */
async function killBelowPrimary(system: System): Promise<void> {
  const [{ url, service }, committer] = [system.edges[1], committerOf(system.edges[1])]
  for (const { pid } of readTree(service.pid))
    if (pid !== service.pid && pid !== committer) process.kill(pid, 'SIGKILL')
  await killCommitter(system)
  for (let tries = 0; tries < maxTries && !(await isReady(url)); tries++) await sleep(100)
}

function isReady(url: string): Promise<boolean> {
  return fetch(new URL('/readyz', url)).then(
    ({ ok }) => ok,
    () => false,
  )
}

function committerOf({ service }: Part): number {
  const found = readTree(service.pid).find(({ pid }) => isCommitter(pid))
  if (!found) throw new Error('the edge has no committer')
  return found.pid
}

function isCommitter(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('committer-main')
  } catch {
    return false // it has just ended
  }
}

/** Stops processes. A shell resumes them later, even if this process ends first. */
export async function stoppedPids(pids: number[], seconds: number): Promise<void> {
  const list = pids.join(' ')
  const script = `kill -STOP ${list}; sleep ${seconds}; kill -CONT ${list}`
  const shell = spawn('/bin/sh', ['-c', script], { stdio: 'ignore', detached: true })
  await once(shell, 'exit')
}

async function cutConnections({ context }: System): Promise<void> {
  for (let turn = 0; turn < 10; turn++) {
    await context.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where pid <> pg_backend_pid() and application_name like 'edge%'`
    await sleep(250)
  }
}

async function stalled({ edges }: System): Promise<void> {
  for (const { proxy } of edges) {
    proxy.stall(5_000)
    await sleep(1_500)
  }
  await sleep(5_000)
}

/** As a primary does before a failover, and a standby after it. */
async function refuseWrites({ context: { sql } }: System): Promise<void> {
  const set = async (isRefused: boolean) => {
    await sql.unsafe(`alter system set default_transaction_read_only = ${isRefused}`)
    await sql`select pg_reload_conf()`
  }
  await set(true)
  await sleep(3_000)
  await set(false)
}

/** Runs a function while all balances are locked, so that charges are settled and not posted. */
async function lockBalances({ sql }: System['context'], run: () => Promise<unknown>): Promise<void> {
  await sql.begin(async transaction => {
    await transaction`set local idle_in_transaction_session_timeout = 0`
    await transaction`select 1 from balances for update`
    await run()
  })
}
