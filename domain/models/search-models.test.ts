import fc from 'fast-check'
import { expect, test } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { aDatabaseForThisTest } from '../../test/harness/a-database.ts'
import { theCatalogue } from '../../test/harness/the-catalogue.ts'
import { applyCatalogue } from './apply-catalogue.ts'
import type { ModelContext } from './model-records.ts'
import {
  countModels,
  type ModelFilter,
  popularFirst,
  positionOfModel,
  searchModels,
} from './search-models.ts'

const shipped = await theCatalogue()

test('filters combine, and values of one filter are alternatives', async () => {
  const context = await aCatalogue()
  const count = (filter: ModelFilter) => countModels(context, filter)
  const declared = (matches: (entry: (typeof shipped.models)[number]) => boolean) =>
    shipped.models.filter(matches).length

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
  const context = await aCatalogue()
  const names = async (search: string) => {
    const found = await searchModels(context, { filter: { search }, slice: { limit: 100 } })
    return found.map(({ entry }) => entry.name).sort()
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

test('any search returns a result', async () => {
  const context = await aCatalogue()
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
    const found = await searchModels(context, { filter: { search }, slice: { limit: 5 } })
    expect(await countModels(context, { search })).toBeGreaterThanOrEqual(found.length)
  }
})

test('any text is a valid search', async () => {
  const context = await aCatalogue()
  const piece = fc.constantFrom(...'-"\'\\ :*|&!()<>/@.', 'a', 'or ', 'http://', '/x', 'é', '漢', '😀', '1e5')
  const phrase = fc.array(piece, { minLength: 1, maxLength: 4 }).map(pieces => pieces.join(''))
  const text = fc.oneof(
    fc.array(piece, { maxLength: 60 }).map(pieces => pieces.join('')),
    phrase.map(words => words.repeat(200).slice(0, 200)),
  )
  await fc.assert(
    fc.asyncProperty(text, async search => {
      await searchModels(context, { filter: { search: search.toWellFormed() }, slice: { limit: 1 } })
    }),
    { numRuns: 300 },
  )
})

test('pages make up the whole list, popular models first', async () => {
  const context = await aCatalogue()
  const pages = await Promise.all(
    [0, 20, 40, 60].map(offset => searchModels(context, { filter: {}, slice: { limit: 20, offset } })),
  )
  const listed = pages.flatMap(page => page.map(({ entry }) => entry))
  expect(listed.map(({ id }) => id).sort()).toEqual(shipped.models.map(({ id }) => id).sort())
  expect(listed.map(({ popular }) => popular)).toEqual(
    listed
      .map(({ popular }) => popular)
      .sort()
      .reverse(),
  )
  expect(pages[3]).toEqual([])
})

test('positions page through the whole list, from either end', async () => {
  const context = await aCatalogue()
  const whole = (await searchModels(context, { filter: {}, slice: { limit: 1000 } })).map(it => it.entry.id)
  for (const fromEnd of [false, true]) {
    const seen: string[] = []
    let at: readonly string[] | undefined
    for (;;) {
      const slice = { limit: 7, fromEnd, [fromEnd ? 'before' : 'after']: at }
      const page = await searchModels(context, { filter: {}, slice })
      seen.push(...page.map(({ entry }) => entry.id))
      if (page.length < 7) break
      at = positionOfModel(page.at(-1)!, popularFirst)
    }
    expect(fromEnd ? seen.reverse() : seen).toEqual(whole)
  }
})

async function aCatalogue(): Promise<ModelContext> {
  const { sql } = await aDatabaseForThisTest()
  await applyCatalogue({ sql, clock: systemClock }, shipped)
  return { sql, knownModels: new Map() }
}
