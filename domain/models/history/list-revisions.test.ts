import { expect, test } from 'vitest'
import { aSystem } from '../../../test/harness/a-context.ts'
import { perFile } from '../../../test/harness/per-file.ts'
import { theCatalogue } from '../../../test/harness/the-catalogue.ts'
import { applyCatalogue } from '../apply-catalogue.ts'
import { changeModels } from '../change-models.ts'
import { findModel } from '../model-records.ts'
import { countRevisions, listRevisions } from './list-revisions.ts'

const system = perFile(aSystem)
const { models } = await theCatalogue()
/** A model to which no other model refers, so that it can be deleted. */
const { id: modelId, active: wasActive } = models.find(
  ({ id, model }) => !models.some(other => other.id !== id && JSON.stringify(other).includes(model)),
)!

test('the history has each entry of a model with its source, also after the model was deleted', async () => {
  const { context } = system
  await applyCatalogue(context, await theCatalogue())
  await applyCatalogue(context, await theCatalogue()) // changes nothing, so it is no revision
  const revision = async () => {
    const found = await findModel({ ...context, knownModels: new Map() }, { id: modelId, inactiveToo: true })
    return Number(found?.revision)
  }
  const update = { kind: 'update', id: modelId, isActive: false, at: [] } as const
  await changeModels(context, {
    changes: [{ ...update, expectedRevision: await revision() }],
    operator: 'ada',
  })
  const removal = { kind: 'remove', id: modelId, at: [] } as const
  await changeModels(context, {
    changes: [{ ...removal, expectedRevision: await revision() }],
    operator: 'grace',
  })

  const history = await listRevisions(context, { modelId, slice: { limit: 10 } })
  expect(
    history.map(({ revision: at, origin, operator, isRemoved, entry }) => [
      ...[Number(at), origin, operator, isRemoved, entry.active],
    ]),
  ).toEqual([
    [3, 'graph', 'grace', true, false],
    [2, 'graph', 'ada', false, false],
    [1, 'files', null, false, wasActive],
  ])
  const next = await listRevisions(context, { modelId, slice: { limit: 1, after: ['3'] } })
  expect(next.map(({ revision: at }) => at)).toEqual([2n])
  expect(await countRevisions(context, { modelId, max: 2 })).toBe(2)
  expect(await listRevisions(context, { modelId: 'chat.none', slice: { limit: 1 } })).toEqual([])
})

test('the latest 200 revisions of a model are kept', async () => {
  const { context } = system
  await context.sql`
    insert into model_revisions (model_id, revision, origin, is_removed, data, created_at)
    select 'chat.atlas-mini', -n, 'files', false, '{}', now() from generate_series(1, 300) n`
  const found = await findModel({ ...context, knownModels: new Map() }, { id: 'chat.atlas-mini' })
  const change = { kind: 'update', id: 'chat.atlas-mini', isPopular: !found?.entry.popular, at: [] } as const
  await changeModels(context, { changes: [{ ...change, expectedRevision: Number(found?.revision) }] })
  expect(await countRevisions(context, { modelId: 'chat.atlas-mini', max: 1_000 })).toBe(200)
  const [latest] = await listRevisions(context, { modelId: 'chat.atlas-mini', slice: { limit: 1 } })
  expect(latest?.origin).toBe('graph')
})
