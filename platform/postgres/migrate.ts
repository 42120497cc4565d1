import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Logger, runMigrations } from 'graphile-worker'
import { openPostgres, type Sql } from './open-postgres.ts'
import { filesOf, readStatement } from './schema-files.ts'

/** A connection of the pool that is reserved for the migration. */
type ReservedSql = Awaited<ReturnType<Sql['reserve']>>

/**
 * Migrates the database at `url`: the tables of the job engine (graphile_worker), then the folder `schema`. First
 * applies the pending files of `migrations` in the order of their names, each in its own transaction. Then replaces the
 * functions of `statements` whose text changed, in one transaction. Several processes can call it at the same time: one
 * migrates, and the others wait. Resolves to the names of the applied files. If a file fails, throws an error with its
 * name. Earlier files stay applied.
 */
export async function migrate(url: string, schema: string): Promise<string[]> {
  const sql = openPostgres({ url, name: 'migrate', maxConnections: 1 })
  try {
    const connection = await sql.reserve()
    await connection`select pg_advisory_lock(hashtext('migrate'))` // released with the connection
    await runMigrations({ connectionString: url, logger: new Logger(() => () => {}) })
    const applied = await applyMigrations(connection, join(schema, 'migrations'))
    applied.push(...(await replaceStatements(connection, join(schema, 'statements'))))
    if (applied.length > 0) await connection.unsafe('analyze')
    connection.release()
    return applied
  } finally {
    await sql.end({ timeout: 1 })
  }
}

async function applyMigrations(connection: ReservedSql, folder: string): Promise<string[]> {
  await connection`create table if not exists migrations (name text primary key, applied_at timestamptz default now())`
  const known = await connection<{ name: string }[]>`select name from migrations`
  const isKnown = new Set(known.map(row => row.name))
  const files = await filesOf(folder)
  const applied = files.filter(name => !isKnown.has(name))
  const foreign = known.find(row => !files.includes(row.name))
  if (applied[0] && foreign) throw new Error(otherHistory(foreign.name, applied[0]))
  for (const name of applied) {
    const text = await readFile(join(folder, name), 'utf8')
    await apply(connection, name, `${text}; insert into migrations (name) values ('${name}')`)
  }
  return applied
}

function otherHistory(foreign: string, missing: string): string {
  return `The database has the migration ${foreign}, which this version does not have, and lacks ${missing}. Use an empty database (with npm start: npm start -- --reset).`
}

/**
 * A file has the name of its function, with hyphens. The existing function of that name is dropped first, even if its
 * arguments differ. The history keeps every version up to the current one, so that a process can distinguish older and
 * newer databases.
 */
async function replaceStatements(connection: ReservedSql, folder: string): Promise<string[]> {
  await connection`create table if not exists statements (name text primary key, sha256 text not null)`
  await connection`
    create table if not exists statement_history (name text, sha256 text, primary key (name, sha256))`
  const known = await connection<{ name: string; sha256: string }[]>`select name, sha256 from statements`
  const knownHash = new Map(known.map(row => [row.name, row.sha256]))
  const replaced: { name: string; text: string }[] = []
  for (const name of await filesOf(folder)) {
    const { text, sha256 } = await readStatement(folder, name)
    if (knownHash.get(name) === sha256) continue
    const functionName = basename(name, '.sql').replaceAll('-', '_')
    const remembered = `insert into statements (name, sha256) values ('${name}', '${sha256}')
      on conflict (name) do update set sha256 = excluded.sha256;
      delete from statement_history where name = '${name}' and '${sha256}' in (
        select sha256 from statement_history where name = '${name}')`
    replaced.push({ name, text: `${dropFunctions(functionName)}; ${text}; ${remembered}` })
  }
  const names = replaced.map(({ name }) => name)
  if (names.length > 0)
    await apply(connection, names.join(', '), replaced.map(({ text }) => text).join(';\n'))
  await connection`
    insert into statement_history select name, sha256 from statements on conflict do nothing`
  return names.map(name => `statements/${name}`)
}

function dropFunctions(name: string): string {
  return `do $drop$ declare found regprocedure; begin
    for found in
      select oid::regprocedure from pg_proc where proname = '${name}' and pronamespace = current_schema()::regnamespace
    loop execute 'drop function ' || found; end loop;
  end $drop$`
}

async function apply(connection: ReservedSql, name: string, text: string): Promise<void> {
  try {
    await connection.unsafe(`begin; ${text}; commit`)
  } catch (error) {
    await connection.unsafe('rollback')
    throw new Error(`Migration ${name} failed: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    })
  }
}
