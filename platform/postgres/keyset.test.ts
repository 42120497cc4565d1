import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aDatabaseForThisTest } from '../../test/harness/a-database.ts'
import { isPosition, type KeysetOrder, keyset } from './keyset.ts'

interface Row {
  popular: boolean
  micros: string
  id: string
}

const orders: readonly KeysetOrder[] = [
  [
    { name: 'made_at', type: 'timestamptz', direction: 'desc' },
    { name: 'id', type: 'text', direction: 'desc' },
  ],
  [
    { name: 'popular', type: 'boolean', direction: 'desc' },
    { name: 'made_at', type: 'timestamptz', direction: 'desc' },
    { name: 'id', type: 'text', direction: 'asc' },
  ],
]

test('a list read in slices, from either end, has each row once and in its order', async () => {
  const { sql } = await aDatabaseForThisTest()
  await sql`create table items (popular boolean, made_at timestamptz, id text)`
  await sql`insert into items select n % 3 = 0, timestamptz '2026-01-01' + n % 5 * interval '1 microsecond', 'i' || n
    from generate_series(1, 23) n`
  const read = (by: KeysetOrder, slice: Parameters<typeof keyset>[2]) => {
    const { where, end } = keyset(sql, by, slice)
    return sql<Row[]>`select popular, id, (extract(epoch from made_at) * 1000000)::bigint::text as micros
      from items where true ${where} ${end}`
  }
  const positionOf = (by: KeysetOrder, row: Row) =>
    by.map(({ name }) => ({ popular: String(row.popular), made_at: row.micros, id: row.id })[name] ?? '')

  await fc.assert(
    fc.asyncProperty(
      fc.nat(1),
      fc.integer({ min: 1, max: 9 }),
      fc.boolean(),
      async (which, limit, fromEnd) => {
        const order = orders[which]!
        const whole = (await read(order, { limit: 100 })).map(({ id }) => id)
        const seen: string[] = []
        let at: string[] | undefined
        for (;;) {
          const rows: Row[] = await read(order, { limit, fromEnd, [fromEnd ? 'before' : 'after']: at })
          if (rows.length === 0) break
          seen.push(...rows.map(({ id }) => id))
          at = positionOf(order, rows.at(-1)!)
        }
        expect(fromEnd ? seen.reverse() : seen).toEqual(whole)
      },
    ),
    { numRuns: 20 },
  )

  const [order] = orders
  const all = await read(order!, { limit: 100 })
  const between = await read(order!, {
    limit: 100,
    after: positionOf(order!, all[3]!),
    before: positionOf(order!, all[9]!),
  })
  expect(between.map(({ id }) => id)).toEqual(all.slice(4, 9).map(({ id }) => id))
  expect((await read(order!, { limit: 5, offset: 7 })).map(({ id }) => id)).toEqual(
    all.slice(7, 12).map(({ id }) => id),
  )
})

test('what Postgres could not compare is no position', () => {
  const [, mixed] = orders
  expect(isPosition(mixed!, ['true', '1760000000000000', 'a'])).toBe(true)
  for (const wrong of [
    ['true', '1760000000000000'],
    ['maybe', '1760000000000000', 'a'],
    ['true', '999999999999999999', 'a'],
    ['true', '-1', 'a'],
    ['true', '1760000000000000', 'a\0'],
    ['true', '1760000000000000', 'a'.repeat(201)],
  ])
    expect(isPosition(mixed!, wrong), wrong.join()).toBe(false)
})
