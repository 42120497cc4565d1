import { expect, test } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import type { CatalogueEntry } from '../../schema/catalog/entry.ts'
import { aDatabaseForThisTest } from '../../test/harness/a-database.ts'
import { theCatalogue } from '../../test/harness/the-catalogue.ts'
import { applyCatalogue } from './apply-catalogue.ts'
import { findModel, loadCatalogue } from './model-records.ts'
import type { Catalogue } from './read-catalogue.ts'

const shipped = await theCatalogue()
const ids = shipped.models.map(({ id }) => id).sort()
const [first, second] = [new Date('2026-10-01T00:00:00Z'), new Date('2026-11-01T00:00:00Z')]
const at = (time: Date) => ({ ...systemClock, now: () => time.getTime() })

test('the applied catalogue is loaded', async () => {
  const { sql } = await aDatabaseForThisTest()
  const knownModels = new Map()
  const applied = await applyCatalogue({ sql, clock: at(first) }, shipped)
  expect(applied).toEqual({ added: ids, changed: [], deactivated: [], unchanged: [], kept: [], revision: 1n })

  const { revision, vendors, models } = await loadCatalogue({ sql })
  expect(revision).toBe(1n)
  expect(vendors).toEqual(shipped.vendors)
  expect(models.map(({ entry }) => entry)).toEqual(shipped.models.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
  const atlas = await findModel({ sql, knownModels }, { id: 'chat.atlas' })
  expect(atlas).toMatchObject({ createdAt: new Date('2026-06-16T00:00:00Z'), updatedAt: first })
  expect(await findModel({ sql, knownModels }, { id: 'vendor_a/atlas' })).toEqual(atlas)
})

test('applying again changes nothing, including times', async () => {
  const { sql } = await aDatabaseForThisTest()
  await applyCatalogue({ sql, clock: at(first) }, shipped)
  const before = await loadCatalogue({ sql })
  const applied = await applyCatalogue({ sql, clock: at(second) }, shipped)
  expect(applied).toEqual({ added: [], changed: [], deactivated: [], unchanged: ids, kept: [], revision: 1n })
  expect(await loadCatalogue({ sql })).toEqual(before)
})

test('only changed entries get a new time', async () => {
  const { sql } = await aDatabaseForThisTest()
  await applyCatalogue({ sql, clock: at(first) }, shipped)
  const applied = await applyCatalogue(
    { sql, clock: at(second) },
    edited('chat.atlas', { description: 'Better' }),
  )
  expect(applied).toMatchObject({ added: [], changed: ['chat.atlas'], deactivated: [], revision: 2n })

  const { models } = await loadCatalogue({ sql })
  const record = models.find(({ entry }) => entry.id === 'chat.atlas')
  expect(record).toMatchObject({
    entry: { description: 'Better' },
    createdAt: new Date('2026-06-16'),
    updatedAt: second,
  })
  expect(models.filter(({ updatedAt }) => updatedAt > first)).toEqual([record])
})

test('a model removed from the files remains as an inactive row until it is added again', async () => {
  const { sql } = await aDatabaseForThisTest()
  const knownModels = new Map()
  await applyCatalogue({ sql, clock: at(first) }, shipped)
  const models = shipped.models.filter(({ id }) => id !== 'chat.quill')
  const gone = await applyCatalogue({ sql, clock: at(second) }, { ...shipped, models })
  expect(gone).toMatchObject({ added: [], changed: [], deactivated: ['chat.quill'], revision: 2n })
  expect(await findModel({ sql, knownModels }, { id: 'chat.quill' })).toBeUndefined()
  expect(await sql`select is_active from models where id = 'chat.quill'`).toEqual([{ is_active: false }])

  const still = await applyCatalogue({ sql, clock: at(second) }, { ...shipped, models })
  expect(still).toMatchObject({ deactivated: [], revision: 2n })
  const back = await applyCatalogue({ sql, clock: at(second) }, shipped)
  expect(back).toMatchObject({ added: [], changed: ['chat.quill'], revision: 3n })
  expect(await findModel({ sql, knownModels }, { id: 'chat.quill' })).toBeDefined()
})

test('a model that is declared inactive is not loaded', async () => {
  const { sql } = await aDatabaseForThisTest()
  await applyCatalogue({ sql, clock: at(first) }, edited('chat.quill', { active: false }))
  const { models } = await loadCatalogue({ sql })
  expect(models).toHaveLength(ids.length - 1)
})

test('two models can swap names, and a name can move to a new ID', async () => {
  const { sql } = await aDatabaseForThisTest()
  const knownModels = new Map()
  await applyCatalogue({ sql, clock: at(first) }, shipped)
  const swapped = edited(
    'chat.atlas',
    { model: 'vendor_a/atlas-mini' },
    edited('chat.atlas-mini', { model: 'vendor_a/atlas' }),
  )
  await applyCatalogue({ sql, clock: at(second) }, swapped)
  expect((await findModel({ sql, knownModels }, { id: 'vendor_a/atlas' }))?.entry.id).toBe('chat.atlas-mini')

  const renamed = await applyCatalogue(
    { sql, clock: at(second) },
    edited('chat.quill', { id: 'chat.feather' }),
  )
  expect(renamed).toMatchObject({ added: ['chat.feather'], deactivated: ['chat.quill'] })
  expect((await findModel({ sql, knownModels }, { id: 'vendor_d/quill' }))?.entry.id).toBe('chat.feather')
})

test('a changed vendor increases the revision', async () => {
  const { sql } = await aDatabaseForThisTest()
  await applyCatalogue({ sql, clock: at(first) }, shipped)
  const vendors = shipped.vendors.map(vendor => ({ ...vendor, name: vendor.name.toUpperCase() }))
  expect(await applyCatalogue({ sql, clock: at(second) }, { ...shipped, vendors })).toMatchObject({
    revision: 2n,
  })
  expect((await loadCatalogue({ sql })).vendors).toEqual(vendors)
})

test('concurrent applies run one after the other', async () => {
  const { sql } = await aDatabaseForThisTest()
  const applied = await Promise.all([1, 2, 3].map(() => applyCatalogue({ sql, clock: at(first) }, shipped)))
  expect(applied.map(({ added }) => added.length).sort((a, b) => a - b)).toEqual([0, 0, ids.length])
  expect(applied.map(({ revision }) => revision)).toEqual([1n, 1n, 1n])
})

test('a failed apply changes nothing', async () => {
  const { sql } = await aDatabaseForThisTest()
  const knownModels = new Map()
  await applyCatalogue({ sql, clock: at(first) }, shipped)
  const broken = edited('chat.atlas', { name: 'New' }, edited('chat.quill', { created: 'yesterday-ish' }))
  await expect(applyCatalogue({ sql, clock: at(second) }, broken)).rejects.toThrow('yesterday-ish')
  expect((await loadCatalogue({ sql })).revision).toBe(1n)
  expect((await findModel({ sql, knownModels }, { id: 'chat.atlas' }))?.entry.name).toBe('Atlas')
})

function edited(
  id: string,
  change: Partial<Pick<CatalogueEntry, 'id' | 'model' | 'name' | 'description' | 'active' | 'created'>>,
  catalogue: Catalogue = shipped,
): Catalogue {
  return {
    ...catalogue,
    models: catalogue.models.map(entry => (entry.id === id ? { ...entry, ...change } : entry)),
  }
}
