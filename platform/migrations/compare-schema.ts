import type { Sql } from '../postgres/open-postgres.ts'
import { type Migration, readMigrations, readStatements, type SchemaFile } from './read-schema.ts'

/** A migration as the database recorded it. */
export interface AppliedMigration {
  name: string
  /** The checksum of the file; null in databases of versions without checksums. */
  sha256: string | null
  /** The `compatibleSince` of the file. */
  since: string | null
}

/** The difference between a database and the folder `schema` of a version. */
export interface SchemaDifference {
  /** Migrations that the database lacks, in order. */
  pending: Migration[]
  /** Statements whose current text the database does not have. */
  changed: SchemaFile[]
  /** Statements whose text the database never had; a part of `changed`. */
  unknown: SchemaFile[]
  /** The names of migrations that the database has from a newer version, with which this version works. */
  newer: string[]
}

/** Compares a database with a folder `schema`. Throws one line with the file's name if this version cannot use the database. */
export async function compareSchema(sql: Sql, schema: string): Promise<SchemaDifference> {
  const [files, statements] = await Promise.all([readMigrations(schema), readStatements(schema)])
  const { applied, current, history } = await readRecords(sql)
  const fault = faultOfMigrations(files, applied)
  if (fault) throw new Error(fault)
  const names = new Set(applied.map(({ name }) => name))
  return {
    pending: files.filter(({ name }) => !names.has(name)),
    changed: statements.filter(file => !current.has(versionOf(file))),
    unknown: statements.filter(file => !history.has(versionOf(file))),
    newer: applied.map(({ name }) => name).filter(name => name > (files.at(-1)?.name ?? '')),
  }
}

async function readRecords(sql: Sql) {
  const [found] = await sql<{ has_migrations: boolean; has_statements: boolean }[]>`
    select to_regclass('migrations') is not null as has_migrations,
      to_regclass('statement_history') is not null as has_statements`
  // As JSON, because the tables of older versions have fewer columns.
  const applied = found?.has_migrations
    ? await sql<AppliedMigration[]>`
        select name, to_jsonb(m) ->> 'sha256' as sha256, to_jsonb(m) ->> 'compatible_since' as since
        from migrations m order by name collate "C"`
    : []
  const versions = found?.has_statements
    ? await sql<{ name: string; sha256: string; is_current: boolean }[]>`
        select name, sha256, false as is_current from statement_history
        union all select name, sha256, true from statements`
    : []
  return {
    applied,
    current: new Set(versions.filter(row => row.is_current).map(versionOf)),
    history: new Set(versions.map(versionOf)),
  }
}

function versionOf({ name, sha256 }: { name: string; sha256: string }): string {
  return `${name} ${sha256}`
}

const otherDatabase = 'Use a database of this version or an empty one (in development: npm start -- --reset)'

/**
 * Returns the reason why a version with these migrations cannot use a database with those, in one line, or undefined.
 * Both lists are in the order of names.
 */
export function faultOfMigrations(
  files: readonly Migration[],
  applied: readonly AppliedMigration[],
): string | undefined {
  const known = new Map(files.map(file => [file.name, file]))
  const newest = files.at(-1)?.name ?? ''
  for (const { name, sha256, since } of applied) {
    const file = known.get(name)
    if (file && file.sha256 !== sha256)
      return `the migration ${name} has changed since it was applied. Restore the file. ${otherDatabase}`
    if (!file && name <= newest)
      return `the database has the migration ${name}, which is missing in this version. ${otherDatabase}`
    if (!file && (since === null || newest < since))
      return `the database is newer than this version: it has the migration ${name}, which only works with versions from ${since ?? name} on. Use a newer version`
  }
  const last = applied.at(-1)?.name ?? ''
  const names = new Set(applied.map(({ name }) => name))
  const skipped = files.find(({ name }) => name < last && !names.has(name))
  if (skipped)
    return `the database has ${last}, but not the earlier migration ${skipped.name}. ${otherDatabase}`
  return undefined
}
