import { execFile } from 'node:child_process'
import { chown, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type PostgresService, startPostgres } from '../../../dev/services/postgres.ts'
import { openPostgres, type Sql } from '../../../platform/postgres/open-postgres.ts'

/** Flags of the servers: what a test wrote need not survive the machine. */
export const flags = ['-c', 'fsync=off']

/**
 * Starts a synchronous standby of a running primary in a new folder, from a copy of the primary's files. No commit that
 * the primary confirms after this is lost with it.
 */
export async function startStandby(
  primary: PostgresService,
  { folder }: { folder: string },
): Promise<PostgresService> {
  await copyServer(primary, folder)
  const { port } = new URL(primary.urlOf('postgres'))
  const source = `primary_conninfo=host=127.0.0.1 port=${port} user=postgres password=postgres`
  const standby = await startPostgres({ folder, flags: [...flags, '-c', source] })
  await onServer(primary, async sql => {
    await sql`alter system set synchronous_standby_names = '*'`
    await sql`select pg_reload_conf()`
    while ((await sql`select from pg_stat_replication where sync_state = 'sync'`).count === 0) await sleep(25)
  })
  return standby
}

/** Stops the standby of a running primary, which then commits without it. */
export async function dropStandby(primary: PostgresService, standby: PostgresService): Promise<void> {
  await onServer(primary, async sql => {
    await sql`alter system reset synchronous_standby_names`
    await sql`select pg_reload_conf()`
  })
  await standby.stop()
}

/** Promotes a standby. Resolves when it accepts writes. */
export async function promote(standby: PostgresService): Promise<void> {
  await onServer(standby, sql => sql`select pg_promote()`)
}

export async function onServer(server: PostgresService, work: (sql: Sql) => Promise<unknown>): Promise<void> {
  const sql = openPostgres({ url: server.urlOf('postgres'), name: 'pair', maxConnections: 1 })
  try {
    await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Copies the files of a server that may be writing, as an online backup. */
async function copyServer(server: PostgresService, folder: string): Promise<void> {
  const data = join(folder, 'data')
  await onServer(server, async sql => {
    await sql`select pg_backup_start('standby', true)`
    // A file may be removed while `cp` reads the folder; the backup needs none of these.
    await promisify(execFile)('cp', ['-a', server.folder, folder]).catch(() => {})
    const [stopped] = await sql<{ label: string }[]>`
      select labelfile as label from pg_backup_stop(wait_for_archive := false)`
    await writeFile(join(data, 'backup_label'), stopped!.label)
  })
  await writeFile(join(data, 'standby.signal'), '')
  await rm(join(data, 'postmaster.pid'), { force: true })
  const { uid, gid } = await stat(data)
  for (const name of ['backup_label', 'standby.signal']) await chown(join(data, name), uid, gid)
}
