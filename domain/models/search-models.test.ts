import fc from 'fast-check'
import { expect, test } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { aDatabaseForThisTest } from '../../test/harness/a-database.ts'
import { theCatalogue } from '../../test/harness/the-catalogue.ts'
import { applyCatalogue } from './apply-catalogue.ts'
import { type ModelFilter, searchModels } from './search-models.ts'

const shipped = await theCatalogue()

test('filters combine, and values of one filter are alternatives', async () => {
  const sql = await aCatalogue()
  const count = async (filter: ModelFilter) =>
    (await searchModels({ sql }, { filter, page: 1, perPage: 100 })).total
  const declared = (test: (entry: (typeof shipped.models)[number]) => boolean) =>
    shipped.models.filter(test).length

  expect(await count({})).toBe(shipped.models.length)
  expect(await count({ tasks: ['chat'] })).toBe(declared(({ modality }) => modality === 'chat'))
  expect(await count({ tasks: ['video', 'audio'] })).toBe(
    declared(({ modality }) => modality === 'video' || modality === 'audio'),
  )
  expect(await count({ providers: ['vendor_a', 'vendor_l'] })).toBe(
    declared(({ provider }) => provider === 'vendor_a' || provider === 'vendor_l'),
  )
  expect(await count({ tasks: ['video'], providers: ['vendor_a', 'vendor_l'] })).toBe(2)
  expect(await count({ popular: true })).toBe(declared(({ popular }) => popular))
  expect(await count({ providers: [] })).toBe(0)
})

test('search reads name and description, by words or prefixes of words, as web searches do', async () => {
  const sql = await aCatalogue()
  const names = async (search: string) => {
    const { data } = await searchModels({ sql }, { filter: { search }, page: 1, perPage: 100 })
    return data.map(({ entry }) => entry.name).sort()
  }
  expect(await names('atlas')).toEqual(['Atlas', 'Atlas Large', 'Atlas Mini', 'Atlas Nano', 'Atlas Thinker'])
  expect(await names('ATL mini')).toEqual(['Atlas Mini'])
  expect(await names('seven subj')).toEqual(['Ensemble', 'Ensemble Fast'])
  expect(await names('subjects seven')).toEqual(['Ensemble', 'Ensemble Fast'])
  expect(await names('"subjects seven"')).toEqual([])
  expect(await names('ensemble -quickly')).toEqual(['Ensemble'])
  expect(await names('foley or ballad')).toEqual(['Ballad', 'Foley'])
  expect(await names('open-weight')).toEqual(['Quill'])
  expect(await names('1080')).toEqual(['Ensemble'])
  expect(await names('nothingness')).toEqual([])
  expect(await names('  ')).toHaveLength(shipped.models.length)
})

test('whatever is searched for is answered', async () => {
  const sql = await aCatalogue()
  for (const search of [
    "'",
    "o'brien's",
    '\\',
    ':*',
    '& | !',
    '(((',
    '-',
    '"',
    "a' & b:*",
    '$$',
    '%',
    '<->',
  ]) {
    const page = await searchModels({ sql }, { filter: { search }, page: 1, perPage: 5 })
    expect(page.total).toBeGreaterThanOrEqual(page.data.length)
  }
})

test('any text is answered', async () => {
  const sql = await aCatalogue()
  const piece = fc.constantFrom(...'-"\'\\ :*|&!()<>/@.', 'a', 'or ', 'http://', '/x', 'é', '漢', '😀', '1e5')
  const phrase = fc.array(piece, { minLength: 1, maxLength: 4 }).map(pieces => pieces.join(''))
  const text = fc.oneof(
    fc.array(piece, { maxLength: 60 }).map(pieces => pieces.join('')),
    phrase.map(phrase => phrase.repeat(200).slice(0, 200)),
  )
  await fc.assert(
    fc.asyncProperty(text, async search => {
      await searchModels({ sql }, { filter: { search: search.toWellFormed() }, page: 1, perPage: 1 })
    }),
    { numRuns: 300 },
  )
})

test('pages make up the whole list, popular models first', async () => {
  const sql = await aCatalogue()
  const pages = await Promise.all(
    [1, 2, 3, 4].map(page => searchModels({ sql }, { filter: {}, page, perPage: 14 })),
  )
  const listed = pages.flatMap(({ data }) => data.map(({ entry }) => entry))
  expect(listed.map(({ id }) => id).sort()).toEqual(shipped.models.map(({ id }) => id).sort())
  expect(listed.map(({ popular }) => popular)).toEqual(
    listed
      .map(({ popular }) => popular)
      .sort()
      .reverse(),
  )
  expect(pages[3]).toEqual({ data: [], page: 4, per_page: 14, total: shipped.models.length, total_pages: 3 })
})

async function aCatalogue(): Promise<Sql> {
  const { sql } = await aDatabaseForThisTest()
  await applyCatalogue({ sql, clock: systemClock }, shipped)
  return sql
}
