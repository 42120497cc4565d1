import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { aDatabaseForThisTest } from '../../test/harness/a-database.ts'
import type { Sql } from '../postgres/open-postgres.ts'
import { migrate } from './migrate.ts'
import { planMigration } from './plan-migration.ts'
import { readMigrations } from './read-schema.ts'
import { refuseOtherSchema, requirePostgres } from './require-postgres.ts'

const schema = new URL('../../schema', import.meta.url).pathname

test('what was applied is not applied again, also when several processes start at once', async () => {
  const { url, sql } = await aDatabaseForThisTest()
  const [first, second] = await Promise.all([migrate(url, schema), migrate(url, schema)])
  expect([...first, ...second]).toEqual([])
  const [count] = await sql<{ names: number }[]>`select count(*)::int as names from migrations`
  expect(count?.names).toBeGreaterThan(4)
})

test('a function is replaced when its text changed, also where it takes and answers something else', async () => {
  const { url, sql } = await aDatabaseForThisTest()
  const changed = await aCopyOfTheSchema()
  const write = (text: string) => writeFile(join(changed, 'statements/lapse-holds.sql'), text)
  await write('create function lapse_holds() returns text language sql as $$ select 1::text $$')
  expect(await migrate(url, changed)).toEqual(['statements/lapse-holds.sql'])
  expect(await migrate(url, changed)).toEqual([])
  const known =
    await sql`select pg_get_function_result(oid) as gives from pg_proc where proname = 'lapse_holds'`
  expect([...known]).toEqual([{ gives: 'text' }])

  await write('create function lapse_holds() returns oops')
  await expect(migrate(url, changed)).rejects.toThrow('lapse-holds.sql failed')
  const [still] = await sql<{ answer: string }[]>`select lapse_holds() as answer`
  expect(still?.answer).toBe('1')
})

test('an older database is refused with the remedy', async () => {
  const { url, sql } = await aDatabaseForThisTest()
  const newer = await aCopyOfTheSchema()
  const remedy = /^the database is older than this version .*first lapse-holds\.sql\): npm run migrate$/
  expect(await faultOf(sql, newer)).toBeUndefined()
  const statement = join(newer, 'statements/lapse-holds.sql')
  await writeFile(statement, `${await readFile(statement, 'utf8')}\n-- changed\n`)
  expect(await faultOf(sql, newer)).toMatch(remedy)
  await writeFile(join(newer, 'migrations/9999-later.sql'), 'create table later (id int)')
  expect(await faultOf(sql, newer)).toMatch(/first 9999-later\.sql\)/)
  await migrate(url, newer)
  expect(await faultOf(sql, newer)).toBeUndefined()
  await sql`delete from migrations where name = '9999-later.sql'`
  await migrate(url, schema) // the statements of the older version again
  await rm(join(newer, 'migrations/9999-later.sql'))
  expect(await faultOf(sql, newer)).toMatch(remedy)
})

test('a newer database is refused, unless its migrations work with this version', async () => {
  const { url, sql } = await aDatabaseForThisTest()
  const newer = await aCopyOfTheSchema()
  const write = (name: string, text: string) => writeFile(join(newer, 'migrations', name), text)
  const newest = (await readMigrations(schema)).at(-1)!.name
  await write('9990-works.sql', `-- A table.\n-- compatible since ${newest}\ncreate table works (id int)`)
  await migrate(url, newer)
  expect(await faultOf(sql)).toBeUndefined()
  expect(await migrate(url, schema)).toEqual([])
  expect(await planMigration(url, schema)).toEqual([
    'the database has 9990-works.sql of a newer version, with which this version works',
  ])

  await write('9991-drops.sql', '-- compatible since 9990-works.sql\ndrop table works')
  await migrate(url, newer)
  const refused = 'it has the migration 9991-drops.sql, which only works with versions from 9990-works.sql on'
  expect(await faultOf(sql)).toBe(`the database is newer than this version: ${refused}. Use a newer version`)
  await expect(migrate(url, schema)).rejects.toThrow(refused)
  await rm(join(newer, 'migrations/9991-drops.sql'))
  expect(await faultOf(sql, newer)).toBeUndefined()
})

test('changed, missing and skipped migrations are refused by name before anything changes', async () => {
  const { url, sql } = await aDatabaseForThisTest()
  const other = await aCopyOfTheSchema()
  const remedy = /Use a database of this version or an empty one \(in development: npm start -- --reset\)$/
  const refuses = async (expected: string) => {
    const uses = [
      () => refuseOtherSchema(sql, other),
      () => migrate(url, other),
      () => planMigration(url, other),
    ]
    for (const use of uses) {
      const error: Error = await use().then(
        () => new Error('it was accepted'),
        fault => fault,
      )
      expect(error.message).toContain(expected)
      expect(error.message).toMatch(remedy)
    }
  }
  const file = join(other, 'migrations/0005-ledger.sql')
  const text = await readFile(file, 'utf8')
  await writeFile(join(other, 'migrations/9999-later.sql'), 'create table later (id int)')

  await writeFile(file, `${text}\n-- changed\n`)
  await refuses('the migration 0005-ledger.sql has changed since it was applied. Restore the file')
  await rm(file)
  await refuses('the database has the migration 0005-ledger.sql, which is missing in this version')
  await writeFile(file, text)
  await writeFile(join(other, 'migrations/0005-b.sql'), 'select 1')
  await refuses('but not the earlier migration 0005-b.sql')
  await rm(join(other, 'migrations/0005-b.sql'))
  await sql`alter table migrations drop column sha256` // a database of a version without checksums
  await refuses('the migration 0001-accounts.sql has changed since it was applied')
  expect(await sql`select to_regclass('later') as later`).toEqual([{ later: null }])
})

test('a migration that gets no lock is repeated, and blocks statements for a moment only', async () => {
  const { url, sql } = await aDatabaseForThisTest()
  const changed = await aCopyOfTheSchema()
  await writeFile(join(changed, 'migrations/9999-column.sql'), 'alter table accounts add column region text')
  const release = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holder = sql.begin(async transaction => {
    await transaction`select count(*) from accounts`
    locked.resolve()
    await release.promise
  })
  await locked.promise
  const migrated = migrate(url, changed)
  await expect
    .poll(() => sql`select from pg_locks where relation = 'accounts'::regclass and not granted`)
    .toHaveLength(1)
  const startedAt = performance.now()
  await sql`select count(*) from accounts` // queues behind the migration
  expect(performance.now() - startedAt).toBeLessThan(5_000)
  release.resolve()
  await holder
  expect(await migrated).toEqual(['9999-column.sql'])
})

test('a plan shows pending migrations with their locks, and changes nothing', async () => {
  const { url, sql } = await aDatabaseForThisTest()
  const changed = await aCopyOfTheSchema()
  await writeFile(
    join(changed, 'migrations/9999-regions.sql'),
    `create table regions (id text primary key);
    alter table accounts add column region text;
    create index on accounts (region);`,
  )
  await writeFile(join(changed, 'statements/lapse-holds.sql'), 'create function lapse_holds() returns oops')
  expect(await planMigration(url, changed)).toEqual([
    '9999-regions.sql: one transaction, which waits at most 500 ms for each lock, and is then repeated',
    '  line 2: alter table accounts add column region text',
    '    ACCESS EXCLUSIVE on accounts: blocks reads and writes for a moment',
    '  line 3: create index on accounts (region)',
    '    SHARE on accounts: blocks writes until the whole table is processed. Use concurrently, in a migration with "-- transaction: none"',
    'statements: functions are created or replaced, which locks no table: lapse-holds',
  ])
  expect(await refuseOtherSchema(sql)).toBeUndefined()
})

test('indexes are created concurrently while another migration waits', async () => {
  const { url, sql } = await aDatabaseForThisTest()
  const changed = await aCopyOfTheSchema()
  await writeFile(
    join(changed, 'migrations/9999-index.sql'),
    `-- transaction: none
    drop index concurrently if exists keys_by_name;
    create index concurrently keys_by_name on api_keys (name);`,
  )
  const both = await Promise.all([migrate(url, changed), migrate(url, changed)])
  expect(both.flat()).toEqual(['9999-index.sql'])
  expect(await sql`select from pg_indexes where indexname = 'keys_by_name'`).toHaveLength(1)
})

test('a function that statements call is replaced under them', async () => {
  const { url, sql } = await aDatabaseForThisTest()
  const changed = await aCopyOfTheSchema()
  const file = join(changed, 'statements/lapse-holds.sql')
  const text = await readFile(file, 'utf8')
  const [before] = await sql`select 'lapse_holds'::regproc::oid as id`
  let isOver = false
  const calls = Array.from({ length: 3 }, async () => {
    while (!isOver) await sql`select lapse_holds(interval '1 hour')`
  })
  for (let round = 0; round < 20; round++) {
    await writeFile(file, `${text}\n-- round ${round}\n`)
    await migrate(url, changed)
  }
  isOver = true
  await Promise.all(calls)
  expect(await sql`select 'lapse_holds'::regproc::oid as id`).toEqual([before])
})

test('a server that is too old is refused in one line', async () => {
  const { url, sql } = await aDatabaseForThisTest()
  await sql`create function current_setting(text) returns text language sql as $$ select '150004' $$`
  await sql.unsafe(`alter database ${new URL(url).pathname.slice(1)} set search_path = public, pg_catalog`)
  await expect(requirePostgres({ url, name: 'test' })).rejects.toThrow(
    /^DATABASE_URL: the server runs PostgreSQL 150004: version 16 or newer is required$/,
  )
})

function faultOf(sql: Sql, folder = schema): Promise<string | undefined> {
  return refuseOtherSchema(sql, folder).then(
    () => undefined,
    (error: Error) => error.message,
  )
}

async function aCopyOfTheSchema(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rubicon-schema-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const part of ['migrations', 'statements']) {
    await cp(join(schema, part), join(folder, part), { recursive: true })
  }
  return folder
}
