import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { freePort } from '../../../dev/services/ports.ts'
import { openPostgres } from '../../../platform/postgres/open-postgres.ts'
import { type Binary, poolerLimits, preparePgBouncer } from './start-pgbouncer.ts'

/** PgBouncer in transaction mode before the server of the tests. Its server connections have a role of their own. */
export interface Pooler {
  /** The role of the server connections. */
  role: string
  /** Returns the address of a database through the pooler. */
  urlOf(databaseUrl: string): string
  /** Returns the settings of a system that uses a database through the pooler. */
  settingsOf(databaseUrl: string): { DATABASE_URL: string; DATABASE_DIRECT_URL: string }
  /** Kills the pooler with SIGKILL, and starts it again. */
  restart(): Promise<void>
  close(): Promise<void>
}

/** Starts a PgBouncer whose role has `limits`, with further lines of its configuration. */
export async function aPooler(
  binary: Binary,
  { limits = poolerLimits, lines = [] }: { limits?: Record<string, string>; lines?: readonly string[] } = {},
): Promise<Pooler> {
  const server = new URL(inject('postgresUrl'))
  const port = await freePort()
  const role = `pooled_${port}`
  await asAdmin(`create role ${role} superuser login password '${role}'`)
  for (const [name, value] of Object.entries(limits))
    await asAdmin(`alter role ${role} set ${name} = '${value}'`)
  const folder = mkdtempSync(join(inject('folder'), 'pooler-'))
  const start = preparePgBouncer(binary, { folder, port, server, role, lines })
  let service = await start()
  const urlOf = (databaseUrl: string) => {
    const url = new URL(databaseUrl)
    url.port = String(port)
    return url.toString()
  }
  return {
    role,
    urlOf,
    settingsOf: url => ({ DATABASE_URL: urlOf(url), DATABASE_DIRECT_URL: url }),
    async restart() {
      process.kill(service.pid, 'SIGKILL')
      await service.ended
      service = await start()
    },
    async close() {
      await service.stop()
      await asAdmin(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`)
      await asAdmin(`drop role ${role}`)
    },
  }
}

async function asAdmin(statement: string): Promise<void> {
  const url = new URL(inject('postgresUrl'))
  url.pathname = '/postgres'
  const sql = openPostgres({ url: url.toString(), name: 'test-admin', maxConnections: 1 })
  await sql.unsafe(statement)
  await sql.end({ timeout: 1 })
}
