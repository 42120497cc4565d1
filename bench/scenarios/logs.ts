import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { buildConsole } from '../../dev/build-console.ts'
import { openPostgres } from '../../platform/postgres/open-postgres.ts'
import { signUp } from '../graph/open-console.ts'
import { production } from '../graph/start-servers.ts'
import { fillLog } from '../logs/fill-log.ts'
import { measureConsole } from '../logs/measure-console.ts'
import { exportRequests, type Question, questionsOf } from '../logs/questions.ts'
import { settleBeside } from '../logs/settle-beside.ts'
import { measureCpu } from '../measure/process-tree.ts'
import { median } from '../measure/statistics.ts'
import { type Row, row } from '../report/result.ts'
import { startControl } from '../system/start-processes.ts'
import { startStores } from '../system/start-stores.ts'
import type { System } from '../system/start-system.ts'
import type { RunOptions, Scenario } from './scenario.ts'

const quickRows = 100_000
const runs = 11
const keys = 20
const maxMedianMs = 200

/** Disk space that a row takes, with its indexes, counters and files of the filling, in bytes; and what must stay free. */
const bytesPerRow = 620
const freeBytes = 5e9

/** Without WAL of standbys, filling takes half the time. The extension counts statements. */
const postgresFlags = [
  ...['-c', 'shared_preload_libraries=pg_stat_statements'],
  ...['-c', 'shared_buffers=1GB', '-c', 'max_wal_size=8GB'],
  ...['-c', 'wal_level=minimal', '-c', 'max_wal_senders=0'],
]

/**
 * The console's queries on a long request log, on its own PostgreSQL, its pages in Chromium, and settling next to these
 * queries.
 */
export const logs: Scenario[] = [
  {
    name: 'logs-1m',
    description: 'queries on a log of 1 million requests over 60 days, mixed with those of other accounts',
    isOptional: true,
    run: (system, options) => measureLog(system, options, 1e6),
  },
  {
    name: 'logs-10m',
    description: 'the same on a log of 10 million requests',
    isOptional: true,
    run: (system, options) => measureLog(system, options, 10e6),
  },
  {
    name: 'growth-logs',
    description: 'the same on a log of --log-millions requests',
    isOptional: true,
    run: (system, options) => measureLog(system, options, options.logMillions * 1e6),
  },
]

async function measureLog(system: System, { isQuick, tell }: RunOptions, wanted: number) {
  const rows = isQuick ? quickRows : wanted
  await requireSpace(system.folder, rows)
  await using stack = new AsyncDisposableStack()
  system.adopt(stack)
  await buildConsole()
  const folder = join(system.folder, 'logs')
  const { context, environment, pids } = await startStores(folder, stack, { postgresFlags })
  const control = stack.use(await startControl({ folder, environment: { ...environment, ...production } }))
  const url = `http://127.0.0.1:${control.port}`
  const { accountId, keyIds } = await signUp(url, { keys })
  // As in the control plane, but without the time limit of its statements.
  const sql = openPostgres({ url: environment.DATABASE_URL!, name: 'bench-queries', plansForValues: true })
  stack.defer(() => sql.end({ timeout: 1 }))
  const startedAt = performance.now()
  await fillLog(sql, { accountId, keyIds, rows, tell })
  tell(`${rows.toLocaleString('en-US')} rows in ${Math.round((performance.now() - startedAt) / 1000)} s`)
  const queries = { ...context, sql }
  const questions = questionsOf(queries, { accountId, keyIds })
  const measured: Row[] = []
  for (const question of questions) measured.push(await measure(question, pids.postgres))
  const pages = await measureConsole(sql, { url, runs, tell })
  const { alone, beside } = await settleBeside(context.sql, questions)
  return {
    rows: [
      ...measured,
      await measureExport(queries, { accountId, postgres: pids.postgres }),
      ...pages,
      row('settling for another account, alone', alone),
      row('settling for another account, under these queries', beside),
    ],
    faults: [],
  }
}

async function requireSpace(folder: string, rows: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const needed = rows * bytesPerRow + freeBytes
  if (bavail * bsize < needed)
    throw new Error(`${folder} needs ${Math.ceil(needed / 1e9)} GB of free space: lower --log-millions`)
}

/** Measures durations, and the CPU of PostgreSQL, which other programs on the machine change less. */
async function measure([label, ask]: Question, postgres: number): Promise<Row> {
  const durationsMs: number[] = []
  let rows = 0
  const { cpuSeconds } = await measureCpu({ postgres }, async () => {
    while (durationsMs.length < runs) {
      const startedAt = performance.now()
      rows = await ask()
      durationsMs.push(performance.now() - startedAt)
    }
  })
  return durations(label, { durationsMs, rows, cpuSeconds: cpuSeconds.postgres! })
}

/** Measures each page of an export, which reads requests that no earlier question has read. */
async function measureExport(
  context: Parameters<typeof exportRequests>[0],
  { accountId, postgres }: { accountId: string; postgres: number },
): Promise<Row> {
  const durationsMs: number[] = []
  let rows = 0
  const { cpuSeconds } = await measureCpu({ postgres }, async () => {
    let startedAt = performance.now()
    for await (const requests of exportRequests(context, accountId)) {
      rows += requests.length
      durationsMs.push(performance.now() - startedAt)
      startedAt = performance.now()
    }
  })
  return durations('export, per page of 100', { durationsMs, rows, cpuSeconds: cpuSeconds.postgres! })
}

function durations(
  label: string,
  { durationsMs, rows, cpuSeconds }: { durationsMs: number[]; rows: number; cpuSeconds: number },
): Row {
  const figures = {
    'p50 ms': median(durationsMs),
    'max ms': Math.max(...durationsMs),
    'postgres CPU ms': (cpuSeconds * 1000) / durationsMs.length,
    rows,
  }
  return row(label, figures, { 'p50 ms': { max: maxMedianMs } })
}
