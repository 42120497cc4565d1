import { expect, test } from 'vitest'
import { aDatabase } from '../../test/harness/a-database.ts'
import { perFile } from '../../test/harness/per-file.ts'

const database = perFile(aDatabase)

const uuid = '01a20479-f97b-7df7-9457-d851b7b3ce11'

test.each<[string, unknown[]]>([
  ['text', ['a', '', 'null', 'NULL', null, 'a "b" \\ c', '{,}', ' ', 'line\nbreak', '☃']],
  ['varchar', ['a']],
  ['uuid', [uuid, null]],
  ['int', [1, -2, null]],
  ['bigint', [9_007_199_254_740_993n, null]],
  ['numeric', ['12345678901234567890.5']],
  ['float8', [0.1, -3e100]],
  ['boolean', [true, false, null]],
  ['timestamptz', [new Date('2026-11-22T18:00:00.123Z')]],
  ['text', []],
])('an array of %s comes back as it was bound', async (type, values) => {
  const { sql } = database
  const asText = values.map(value =>
    value === null ? null : value instanceof Date ? value.toISOString() : String(value),
  )
  const [row] = await sql<{ back: unknown[]; length: number }[]>`
    select array(select unnest(${asText}::text[])::text::${sql.unsafe(type)}) as back,
      cardinality(${asText}::text[]) as length`
  expect(row).toEqual({ back: values, length: values.length })
})

test('arrays are bound as the statement wants them, without a cast', async () => {
  const { sql } = database
  await sql`create table kept (id uuid, price numeric, count bigint)`
  await sql`insert into kept values (${uuid}, 0.5, 7)`
  const rows = await sql`
    select id from kept
    where id = any(${[uuid]}) and price = any(${['0.5']})`
  expect([...rows]).toEqual([{ id: uuid }])
})
