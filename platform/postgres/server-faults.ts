import { join } from 'node:path'
import type { Sql } from './open-postgres.ts'
import { filesOf, readStatement } from './schema-files.ts'

/** The oldest supported version of PostgreSQL. */
export const minimumVersion = 16

/** The folder `schema` of this version. */
const schemaFolder = join(import.meta.dirname, '../../schema')

/** Resolves to a line if the server is too old. */
export async function faultOfVersion(sql: Sql): Promise<string | undefined> {
  const [server] = await sql<{ number: number; name: string }[]>`
    select current_setting('server_version_num')::int as number, current_setting('server_version') as name`
  if (!server || server.number >= minimumVersion * 10_000) return undefined
  return `the server runs PostgreSQL ${server.name}: version ${minimumVersion} or newer is required`
}

/**
 * Resolves to a line if the database lacks migrations or statements of `schema`, by default of this version. A database
 * that a newer version has migrated is accepted, because old processes use it during an upgrade.
 */
export async function faultOfSchema(sql: Sql, schema = schemaFolder): Promise<string | undefined> {
  const [found] = await sql<{ is_known: boolean; has_history: boolean }[]>`
    select to_regclass('migrations') is not null as is_known, to_regclass('statement_history') is not null as has_history`
  if (!found?.is_known) return 'the database has no tables of Rubicon: npm run migrate'
  const applied = await sql<{ name: string }[]>`select name from migrations`
  const missing = await lacking(
    filesOf(join(schema, 'migrations')),
    applied.map(({ name }) => name),
  )
  if (missing.length === 0 && found.has_history) {
    const statements = join(schema, 'statements')
    const versions = (await filesOf(statements)).map(async name =>
      versionOf(name, await readStatement(statements, name)),
    )
    const known = await sql<{ name: string; sha256: string }[]>`select name, sha256 from statement_history`
    missing.push(
      ...(await lacking(
        Promise.all(versions),
        known.map(row => versionOf(row.name, row)),
      )),
    )
  }
  const [first] = missing
  if (!first) return undefined
  return `the database is older than this version (it lacks ${missing.length} changes, first ${first.split(' ')[0]}): npm run migrate`
}

async function lacking(wanted: Promise<string[]>, known: readonly string[]): Promise<string[]> {
  const names = new Set(known)
  return (await wanted).filter(name => !names.has(name))
}

function versionOf(name: string, { sha256 }: { sha256: string }): string {
  return `${name} ${sha256}`
}
