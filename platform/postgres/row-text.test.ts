import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aDatabaseForThisTest } from '../../test/harness/a-database.ts'
import { rowsText } from './row-text.ts'

test('any row arrives as it was sent', async () => {
  const { sql } = await aDatabaseForThisTest()
  await sql`create type probe as (label text, amount bigint, flag boolean, note text)`
  const text = fc.option(fc.string({ unit: 'grapheme' }).filter(value => !value.includes('\0')))
  const row = fc.tuple(
    text,
    fc.option(fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n })),
    fc.option(fc.boolean()),
    text,
  )
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 5 }), async rows => {
      const read = await sql`select * from unnest(${rowsText(rows)}::text::probe[])`
      expect(read.map(found => [found.label, found.amount, found.flag, found.note])).toEqual(rows)
    }),
    { numRuns: 200 },
  )
})

test('a quote is doubled and escaped, a backslash stands four times', () => {
  const unit = fc.oneof(fc.constantFrom('"', '\\', '$', '&', ',', '{'), fc.string({ maxLength: 1 }))
  const text = fc.string({ unit }).map(value => `,${value}`) // a comma: it is quoted
  fc.assert(
    fc.property(fc.array(text), values => {
      const escaped = values.map(value =>
        Array.from(value, character => ({ '"': '\\"\\"', '\\': '\\\\\\\\' })[character] ?? character).join(
          '',
        ),
      )
      const rows = escaped.map(value => `"(\\"${value}\\",)"`)
      expect(rowsText(values.map(value => [value, null]))).toBe(`{${rows.join()}}`)
    }),
  )
})
