import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Logger, runMigrations } from 'graphile-worker'
import { openPostgres, type Sql } from '../postgres/open-postgres.ts'
import { codeOf, isLockTimeout } from '../postgres/transient-errors.ts'
import { compareSchema } from './compare-schema.ts'
import type { Migration, SchemaFile } from './read-schema.ts'
import { splitStatements } from './split-statements.ts'

/** A connection of the pool that is reserved for the migration. */
type ReservedSql = Awaited<ReturnType<Sql['reserve']>>

/**
 * Maximum time that a migration waits for the lock of a table, in milliseconds. Statements of running processes queue
 * behind it, and a charge may take two seconds.
 */
export const lockTimeoutMs = 500

/** Delay before the lock of migrations is tried again, in milliseconds. */
const lockPollMs = 200

/** Delay before a migration that did not get a lock is repeated, in milliseconds, and the maximum number of tries. */
const retry = { delayMs: 1_000, tries: 60 }

/**
 * Migrates the database at `url`: the tables of the job engine (graphile_worker), then the folder `schema`. First
 * applies the pending files of `migrations` in the order of their names, each in its own transaction. Then replaces the
 * functions of `statements` whose text changed, in one transaction. Several processes can call it at the same time: one
 * migrates, and the others wait. Resolves to the names of the applied files. If a file fails, throws an error with its
 * name. Earlier files stay applied. Throws before anything changes if the database's history differs from `schema`.
 */
export async function migrate(url: string, schema: string): Promise<string[]> {
  const sql = openPostgres({ url, name: 'migrate', maxConnections: 1 })
  try {
    const connection = await sql.reserve()
    await lockMigrations(connection)
    const { pending, changed } = await compareSchema(connection, schema)
    await runMigrations({ connectionString: url, logger: new Logger(() => () => {}) })
    await createRecords(connection)
    for (const migration of pending) await apply(connection, migration)
    const replaced = await replaceFunctions(connection, changed)
    if (pending.length > 0) await connection.unsafe('analyze')
    connection.release()
    return [...pending.map(({ name }) => name), ...replaced]
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/**
 * Takes the lock that one migration at a time has, until its connection ends. Polls for it: a statement that waits for
 * it would have a snapshot, for whose end `create index concurrently` waits.
 */
async function lockMigrations(connection: ReservedSql): Promise<void> {
  for (;;) {
    const [lock] = await connection<{ is_ours: boolean }[]>`
      select pg_try_advisory_lock(hashtext('migrate')) as is_ours`
    if (lock?.is_ours) return
    await sleep(lockPollMs)
  }
}

/**
 * Creates the tables of what was applied. `statements` has the current texts, `statement_history` also all earlier ones,
 * so that a process can distinguish older and newer databases.
 */
async function createRecords(connection: ReservedSql): Promise<void> {
  await connection.unsafe(`
    create table if not exists migrations (
      name text primary key, sha256 text not null, compatible_since text, applied_at timestamptz default now());
    create table if not exists statements (name text primary key, sha256 text not null);
    create table if not exists statement_history (name text, sha256 text, primary key (name, sha256));`)
}

async function apply(connection: ReservedSql, migration: Migration): Promise<void> {
  const { name, text, sha256, compatibleSince, inTransaction } = migration
  const record = `insert into migrations (name, sha256, compatible_since)
    values ('${name}', '${sha256}', ${compatibleSince ? `'${compatibleSince}'` : 'null'})`
  await named(name, async () => {
    if (inTransaction) return runInTransaction(connection, `${text}; ${record}`)
    for (const statement of splitStatements(text)) await connection.unsafe(statement.text)
    await connection.unsafe(record)
  })
}

/**
 * Replaces functions in one transaction. A function keeps its identity if its arguments and its result are the same, so
 * that statements of running processes that call it at this moment do not fail. Otherwise it is dropped first.
 */
async function replaceFunctions(connection: ReservedSql, files: readonly SchemaFile[]): Promise<string[]> {
  if (files.length === 0) return []
  const names = files.map(({ name }) => `statements/${name}`)
  await named(names.join(', '), async () => {
    const texts = (drops: boolean) => files.map(file => replacementOf(file, drops)).join(';\n')
    try {
      await runInTransaction(connection, texts(false))
    } catch (error) {
      if (codeOf(error) !== '42P13') throw error // invalid_function_definition: another result
      await runInTransaction(connection, texts(true))
    }
  })
  return names
}

function replacementOf({ name, text, sha256 }: SchemaFile, drops: boolean): string {
  const functionName = basename(name, '.sql').replaceAll('-', '_')
  return `${drops ? dropFunctions(functionName) : ''};
    ${text.replace(/^create function /m, 'create or replace function ')};
    ${dropFunctions(functionName, 'and xmin::text <> pg_current_xact_id()::xid::text')};
    insert into statements (name, sha256) values ('${name}', '${sha256}')
      on conflict (name) do update set sha256 = excluded.sha256;
    delete from statement_history where name = '${name}' and '${sha256}' in (
      select sha256 from statement_history where name = '${name}');
    insert into statement_history (name, sha256) values ('${name}', '${sha256}')`
}

/** Returns the SQL that drops functions with a name, whatever their arguments. */
function dropFunctions(name: string, condition = ''): string {
  return `do $drop$ declare found regprocedure; begin
    for found in select oid::regprocedure from pg_proc
      where proname = '${name}' and pronamespace = current_schema()::regnamespace ${condition}
    loop execute 'drop function ' || found; end loop;
  end $drop$`
}

/** Runs statements in a transaction, and repeats it while a lock is not available. */
async function runInTransaction(connection: ReservedSql, text: string): Promise<void> {
  for (let tried = 1; ; tried++) {
    try {
      await connection.unsafe(`begin; set local lock_timeout = ${lockTimeoutMs}; ${text}; commit`)
      return
    } catch (error) {
      await connection.unsafe('rollback')
      if (!isLockTimeout(error) || tried === retry.tries) throw error
      await sleep(retry.delayMs)
    }
  }
}

async function named(name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    throw new Error(`Migration ${name} failed: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    })
  }
}
