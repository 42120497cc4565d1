import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { aDatabaseForThisTest } from '../../test/harness/a-database.ts'
import { migrate } from './migrate.ts'
import { requirePostgres } from './open-postgres.ts'
import { faultOfSchema } from './server-faults.ts'

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

test('an older database is refused with the remedy, a newer one is accepted', async () => {
  const { url, sql } = await aDatabaseForThisTest()
  const newer = await aCopyOfTheSchema()
  const remedy = /^the database is older than this version .*first lapse-holds\.sql\): npm run migrate$/
  expect(await faultOfSchema(sql, newer)).toBeUndefined()
  const statement = join(newer, 'statements/lapse-holds.sql')
  await writeFile(statement, `${await readFile(statement, 'utf8')}\n-- changed\n`)
  expect(await faultOfSchema(sql, newer)).toMatch(remedy)
  await writeFile(join(newer, 'migrations/9999-later.sql'), 'create table later (id int)')
  expect(await faultOfSchema(sql, newer)).toMatch(/first 9999-later\.sql\)/)
  await migrate(url, newer)
  expect([await faultOfSchema(sql, newer), await faultOfSchema(sql)]).toEqual([undefined, undefined])
  await migrate(url, schema) // the statements of the older version again
  expect(await faultOfSchema(sql, newer)).toMatch(remedy)
})

test('a database with other migrations is refused before anything changes', async () => {
  const { url, sql } = await aDatabaseForThisTest()
  await sql`update migrations set name = '0000-other.sql' where name = '0001-accounts.sql'`
  await expect(migrate(url, schema)).rejects.toThrow(
    /^The database has the migration 0000-other\.sql, .* lacks 0001-accounts\.sql\. Use an empty database/,
  )
  expect(await sql`select from migrations where name = '0001-accounts.sql'`).toHaveLength(0)
})

test('a server that is too old is refused in one line', async () => {
  const { url, sql } = await aDatabaseForThisTest()
  await sql`create function current_setting(text) returns text language sql as $$ select '150004' $$`
  await sql.unsafe(`alter database ${new URL(url).pathname.slice(1)} set search_path = public, pg_catalog`)
  await expect(requirePostgres({ url, name: 'test' })).rejects.toThrow(
    /^DATABASE_URL: the server runs PostgreSQL 150004: version 16 or newer is required$/,
  )
})

async function aCopyOfTheSchema(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rubicon-schema-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const part of ['migrations', 'statements']) {
    await cp(join(schema, part), join(folder, part), { recursive: true })
  }
  return folder
}
