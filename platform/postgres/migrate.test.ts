import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { aDatabaseForThisTest } from '../../test/harness/a-database.ts'
import { migrate } from './migrate.ts'

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

async function aCopyOfTheSchema(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rubicon-schema-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const part of ['migrations', 'statements']) {
    await cp(join(schema, part), join(folder, part), { recursive: true })
  }
  return folder
}
