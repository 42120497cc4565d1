import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type PostgresService, startPostgres } from '../../../dev/services/postgres.ts'
import { openPostgres, type Sql } from '../../../platform/postgres/open-postgres.ts'
import { aPostgresProxy } from './a-postgres-proxy.ts'

/** A primary and its synchronous standby, behind one address: no commit that was confirmed is lost with the primary. */
export interface PostgresPair {
  /** The address of the primary of now. */
  url: string
  /**
   * Fails over as managed servers do: the primary accepts no writes any more, the standby is promoted, and new
   * connections reach it. Those to the old primary stay open.
   */
  failOver(): Promise<void>
  /** Kills the server that was the first primary. */
  killFirst(): Promise<void>
  close(): Promise<void>
}

/** Starts one. The standby begins as a copy of the primary's files. */
export async function aPostgresPair(): Promise<PostgresPair> {
  const folder = await mkdtemp(join(tmpdir(), 'rubicon-pair-'))
  await chmod(folder, 0o755) // as root, PostgreSQL runs as another user and must reach it
  const [first, second] = [join(folder, 'first'), join(folder, 'second')]
  const empty = await startPostgres({ folder: first })
  await empty.stop()
  await promisify(execFile)('cp', ['-a', first, second])
  await writeFile(join(second, 'data', 'standby.signal'), '')
  const flags = ['-c', 'fsync=off']
  const primary = await startPostgres({ folder: first, flags })
  const { port } = new URL(primary.urlOf('postgres'))
  const source = `primary_conninfo=host=127.0.0.1 port=${port} user=postgres password=postgres`
  const standby = await startPostgres({ folder: second, flags: [...flags, '-c', source] })
  await onServer(primary, async sql => {
    await sql`alter system set synchronous_standby_names = '*'`
    await sql`select pg_reload_conf()`
    await until(async () => (await sql`select from pg_stat_replication where sync_state = 'sync'`).count > 0)
  })
  const proxy = await aPostgresProxy(primary.urlOf('postgres'))
  return {
    url: proxy.url,
    async failOver() {
      await onServer(primary, async sql => {
        await sql`alter system set default_transaction_read_only = on`
        await sql`select pg_reload_conf()`
      })
      await onServer(standby, sql => sql`select pg_promote()`)
      proxy.switchTo(standby.urlOf('postgres'))
    },
    async killFirst() {
      process.kill(primary.pid, 'SIGKILL')
      await primary.ended
    },
    async close() {
      await proxy.close()
      await Promise.all([primary.stop(), standby.stop()])
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function onServer(server: PostgresService, work: (sql: Sql) => Promise<unknown>): Promise<void> {
  const sql = openPostgres({ url: server.urlOf('postgres'), name: 'pair', maxConnections: 1 })
  try {
    await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(25)
}
