import { expect, test } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { aDatabaseForThisTest } from '../../test/harness/a-database.ts'
import { theCatalogue } from '../../test/harness/the-catalogue.ts'
import { applyCatalogue } from './apply-catalogue.ts'
import { findModel } from './model-records.ts'

const shipped = await theCatalogue()

test('a process reads a model once per revision, and callers always get the current one', async () => {
  const { sql } = await aDatabaseForThisTest()
  const context = { sql, clock: systemClock, knownModels: new Map() }
  await applyCatalogue(context, shipped)
  const [atlas, quill] = [{ id: 'chat.atlas' }, { id: 'chat.quill' }]
  const before = [await findModel(context, atlas), await findModel(context, quill)]

  const models = shipped.models
    .filter(({ id }) => id !== quill.id)
    .map(entry => (entry.id === atlas.id ? { ...entry, name: 'Globe' } : entry))
  expect(await findModel(context, atlas)).toBe(before[0])
  await applyCatalogue(context, { ...shipped, models })
  expect(await findModel(context, atlas)).toMatchObject({ revision: 2n, entry: { name: 'Globe' } })
  expect(await findModel(context, quill)).toBeUndefined()

  await applyCatalogue(context, shipped)
  expect(await findModel(context, atlas)).toMatchObject({ revision: 3n, entry: { name: 'Atlas' } })
  expect(await findModel(context, quill)).toMatchObject({ revision: 3n, entry: before[1]?.entry })
})
