import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../../dev/services/postgres.ts'
import { systemClock } from '../../platform/clock.ts'
import { systemIds } from '../../platform/ids.ts'
import { migrate } from '../../platform/postgres/migrate.ts'
import { openPostgres } from '../../platform/postgres/open-postgres.ts'
import { fillLog } from './fill-log.ts'
import { questionsOf } from './questions.ts'
import { settleBeside } from './settle-beside.ts'

/**
 * `node bench/logs/main.ts [ROWS]`: measures queries on a long request log (bench/README.md). Fills the log of one account
 * on a new PostgreSQL server, with 10 million rows by default, and runs each query eleven times.
 */
const rows = Number(process.argv[2] ?? 10_000_000)
const rounds = 11

const folder = await mkdtemp(join(tmpdir(), 'rubicon-logs-'))
const postgres = await startPostgres({
  folder,
  flags: ['-c', 'shared_buffers=1GB', '-c', 'max_wal_size=8GB'],
})
try {
  const admin = openPostgres({ url: postgres.urlOf('postgres'), name: 'bench', maxConnections: 1 })
  await admin`create database logs`
  await admin.end()
  const sql = openPostgres({ url: postgres.urlOf('logs'), name: 'bench', maxConnections: 2 })
  await migrate(postgres.urlOf('logs'), new URL('../../schema', import.meta.url).pathname)

  const begunAt = performance.now()
  const accountId = systemIds.uuid()
  const { keyIds } = await fillLog(sql, { accountId, rows })
  print(`${rows} rows in ${Math.round((performance.now() - begunAt) / 1000)} s`)
  print(`${'question'.padEnd(52)} ${'median ms'.padStart(9)} ${'worst ms'.padStart(9)}  rows`)
  const questions = questionsOf({ sql, clock: systemClock }, { accountId, keyIds })
  for (const [name, ask] of questions) {
    const times: number[] = []
    let answered = 0
    for (let round = 0; round < rounds; round++) {
      const askedAt = performance.now()
      answered = await ask()
      times.push(performance.now() - askedAt)
    }
    times.sort((one, other) => one - other)
    const [median = 0, worst = 0] = [times[rounds >> 1], times.at(-1)]
    print(`${name.padEnd(52)} ${median.toFixed(1).padStart(9)} ${worst.toFixed(1).padStart(9)}  ${answered}`)
  }
  for (const [when, { medianMs, p99Ms }] of Object.entries(await settleBeside(sql, questions)))
    print(`settling for another account, ${when}: ${medianMs.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`)
  await sql.end()
} finally {
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
