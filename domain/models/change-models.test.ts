import { expect, test } from 'vitest'
import type { CatalogueEntry } from '../../schema/catalog/entry.ts'
import { Problem } from '../../schema/errors.ts'
import { aSystem } from '../../test/harness/a-context.ts'
import { forThisTest } from '../../test/harness/per-file.ts'
import { theCatalogue } from '../../test/harness/the-catalogue.ts'
import { applyCatalogue } from './apply-catalogue.ts'
import { applyTo, changeModels, type ModelChange } from './change-models.ts'
import { openShapes } from './checks/check-shapes.ts'
import { openValidator } from './compile-parameters.ts'
import { findModel } from './model-records.ts'
import { declarationOf, readDeclaration } from './read-declaration.ts'
import { openCatalogueWatch } from './watch-catalogue.ts'

const shipped = await theCatalogue()
const entryOf = (id: string) => shipped.models.find(entry => entry.id === id)!
const vendors = new Map(shipped.vendors.map(vendor => [vendor.label, vendor]))
/** The shipped catalogue, at revision 1. */
const current = {
  chatParameters: shipped.chatParameters,
  vendors,
  models: new Map(shipped.models.map(entry => [entry.id, { entry, revision: 1n }])),
}
/** A new model, derived from Atlas Mini. */
const renamed = { id: 'chat.atlas-new', model: 'vendor_a/atlas-new' }
const added = { ...declarationOf(entryOf('chat.atlas-mini')), ...renamed }
const put = (entry: unknown, expectedRevision = 0, at: ModelChange['at'] = []) =>
  ({ kind: 'put', at, entry, expectedRevision }) as const
const update = (id: string, isActive: boolean, expectedRevision = 1) =>
  ({ kind: 'update', at: [], id, isActive, expectedRevision }) as const
const remove = (id: string, expectedRevision = 1) =>
  ({ kind: 'remove', at: [], id, expectedRevision }) as const

/** Returns every fault of the changes with its name, parameter and message. */
function faultsOf(...changes: ModelChange[]): string[] {
  try {
    applyTo(current, changes)
    return []
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const all = [error, ...(error.details.others ?? [])]
    return all.map(({ errorName, message }) => `${errorName} ${message}`)
  }
}

test('the declaration of every shipped model results in its entry again', () => {
  const context = { ...shipped, vendors, shapes: openShapes(), validator: openValidator() }
  const fail = (path: unknown, message: string) => expect.fail(`${path} ${message}`)
  for (const entry of shipped.models)
    expect(readDeclaration(context, structuredClone(declarationOf(entry)), fail), entry.id).toEqual(entry)
})

test('a put model gets the same entry as from a file, and the input is not changed', () => {
  const given = structuredClone(added)
  expect(applyTo(current, [put(given)])).toMatchObject({
    entries: [{ ...entryOf('chat.atlas-mini'), ...renamed }],
    removed: [],
    ids: ['chat.atlas-new'],
  })
  expect(given).toEqual(added)
  const same = put(declarationOf(entryOf('chat.atlas')), 1)
  expect(applyTo(current, [same])).toEqual({ entries: [], removed: [], ids: ['chat.atlas'], fields: [] })
})

test('all faults of an entry are reported at once, each with its path', () => {
  const prices = { rates: [{ of: 'input', price: 'free' }, { price: '1 per 1M tokens' }], discount: 'half' }
  const at = ['changes', 1, 'put']
  const faults = faultsOf(put({ ...added, name: '', color: 'red', prices }, 0, at))
  expect(faults.map(fault => fault.split(':')[0])).toEqual(
    expect.arrayContaining([
      'validation_failed changes[1].put.entry.color',
      'validation_failed changes[1].put.entry.name',
      'validation_failed changes[1].put.entry.prices.discount',
      'validation_failed changes[1].put.entry.prices.rates[1]',
    ]),
  )
  expect(faultsOf(put({ ...added, fallbacks: ['chat.nobody'], model: 'vendor_a/atlas' }))).toEqual([
    'validation_failed entry.model: vendor_a/atlas is already the model of chat.atlas.',
    'validation_failed entry.fallbacks[0]: chat.nobody is not in the catalogue.',
  ])
  expect(faultsOf(put('chat'))[0]).toMatch('validation_failed entry.id: must be a task, a dot and a slug')
})

test('a change that would make another model invalid is refused, unless both change together', () => {
  const fault = 'chat.atlas-large: fallbacks[0]: chat.atlas is not active.'
  expect(faultsOf(update('chat.atlas', false))).toEqual([`validation_failed isActive: ${fault}`])
  expect(faultsOf(remove('chat.atlas'))[0]).toMatch('validation_failed id: chat.atlas-large: fallbacks[0]')
  const users = shipped.models.filter(({ fallbacks }) => fallbacks.includes('chat.atlas'))
  const alone = users.map(entry =>
    put({ ...declarationOf(entry), fallbacks: entry.fallbacks.filter(id => id !== 'chat.atlas') }, 1),
  )
  expect(faultsOf(update('chat.atlas', false), ...alone)).toEqual([])
})

test('the audit log gets the changed fields of each model, never the values', () => {
  const dearer = { ...declarationOf(entryOf('chat.quill')), name: 'Quill 2', popular: true }
  const changes = [put(dearer, 1), remove('chat.ember-coder'), update('chat.quill-small', true)]
  expect(applyTo(current, changes).fields).toEqual([
    'chat.quill.name',
    'chat.quill.popular',
    'chat.ember-coder',
  ])
})

test('models that were changed concurrently or do not exist are not changed', () => {
  expect(faultsOf(put(declarationOf(entryOf('chat.quill')), 7), remove('chat.ember-coder', 0))).toEqual([
    'conflict chat.quill is at revision 1: read it again before changing it.',
    'conflict chat.ember-coder is at revision 1: read it again before changing it.',
  ])
  const gone = 'conflict chat.atlas-new is not in the catalogue: read it again before changing it.'
  expect(faultsOf(put(added, 3))).toEqual([gone])
  expect(faultsOf(remove('chat.nobody'))[0]).toMatch('model_not_found')
  expect(faultsOf(put(added), put(added))[0]).toMatch('chat.atlas-new is changed twice')
})

test('the credential of the platform is sent only to addresses in the files', () => {
  const at = (address: string) => put({ ...added, upstream: { model: 'x', address } })
  expect(faultsOf(at('https://thief.example'))).toEqual([
    'validation_failed entry.upstream.address: is not an address of vendor_a: new addresses must be added in the files.',
  ])
})

test('prices that depend on too many values are refused before their combinations are listed', () => {
  const image = shipped.models.find(({ task }) => task === 'text-to-image')!
  const names = ['a', 'b', 'c', 'd']
  const range = { type: 'integer', minimum: 0, maximum: 900, default: 0 }
  const properties = {
    ...image.parameters.properties,
    ...Object.fromEntries(names.map(name => [name, range])),
  }
  const when = Object.fromEntries(names.map(name => [name, 1]))
  const entry = {
    ...declarationOf(image),
    parameters: { ...image.parameters, properties },
    prices: { rates: [{ price: '1 per image', when }] },
  }
  expect(faultsOf(put(entry, 1))).toEqual([
    'validation_failed entry.prices.rates: depend on more than 10000 combinations of values.',
  ])
})

/** Creates a database with the catalogue, without Redis. */
async function aCatalogue() {
  const system = forThisTest(await aSystem({ REDIS_URL: 'redis://127.0.0.1:1' }))
  const { context } = system
  await applyCatalogue(context, shipped)
  return context
}

test('if two operators change a model concurrently, one wins and the other gets a conflict', async () => {
  const context = await aCatalogue()
  const outcomes = await Promise.allSettled([
    changeModels(context, { changes: [update('chat.quill', false)] }),
    changeModels(context, { changes: [remove('chat.quill')] }),
  ])
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { errorName: 'conflict', details: { param: 'expectedRevision' } },
  })
  const model = await findModel({ ...context, knownModels: new Map() }, { id: 'chat.atlas' })
  expect(model).toMatchObject({ revision: 1n, origin: 'files' })
})

test('applied files keep changed models until they declare the same or take over', async () => {
  const context = await aCatalogue()
  const changed = { ...declarationOf(entryOf('chat.quill-small')), description: 'Changed.' }
  const changes = [put(changed, 1), put(added), remove('chat.ember-coder')]
  await changeModels(context, { changes })
  const ids = ['chat.atlas-new', 'chat.ember-coder', 'chat.quill-small']
  expect(await applyCatalogue(context, shipped)).toMatchObject({ kept: ids, changed: [], revision: 2n })

  const models = shipped.models.map(
    (entry): CatalogueEntry =>
      entry.id === 'chat.quill-small' ? { ...entry, description: 'Changed.' } : entry,
  )
  const agreed = await applyCatalogue(context, { ...shipped, models })
  expect(agreed).toMatchObject({ kept: ids.slice(0, 2), changed: [], revision: 2n })
  const back = await applyCatalogue(context, shipped)
  expect(back).toMatchObject({ kept: ids.slice(0, 2), changed: ['chat.quill-small'], revision: 3n })
  expect(await applyCatalogue(context, shipped, { takeOver: true })).toMatchObject({
    kept: [],
    changed: ['chat.ember-coder'],
    deactivated: ['chat.atlas-new'],
    revision: 4n,
  })
})

test('files that conflict with changes are refused as a whole, with the place', async () => {
  const context = await aCatalogue()
  await changeModels(context, { changes: [put({ ...added, fallbacks: ['chat.quill'] })] })
  const models = shipped.models.filter(({ id }) => id !== 'chat.quill')
  const applying = applyCatalogue(context, { ...shipped, models })
  await expect(applying).rejects.toThrow('chat.atlas-new: fallbacks[0]: chat.quill is not in the catalogue')
  expect(await findModel({ ...context, knownModels: new Map() }, { id: 'chat.quill' })).toBeDefined()
})

test('without messages a watcher misses no change, gets several merged, and resumes at its revision', async () => {
  const context = await aCatalogue()
  const watch = forThisTest(openCatalogueWatch(context))
  const [reading, slow] = [watch.watch(), watch.watch()]
  const summary = ({ value: { revision, models, withdrawnIds } }: Awaited<ReturnType<typeof reading.next>>) =>
    [
      Number(revision),
      models.map((model: { entry: CatalogueEntry }) => model.entry.id),
      withdrawnIds,
    ] as const
  expect(summary(await reading.next())).toEqual([1, [], []])
  expect(summary(await slow.next())).toEqual([1, [], []])
  await changeModels(context, { changes: [put(added), update('chat.quill-small', true)] })
  expect(summary(await reading.next())).toEqual([2, ['chat.atlas-new'], []])
  const next = reading.next()
  await changeModels(context, { changes: [remove('chat.atlas-new', 2), update('chat.ember-coder', false)] })
  const both = [3, [], ['chat.atlas-new', 'chat.ember-coder']]
  expect(summary(await next)).toEqual(both)
  expect(summary(await slow.next())).toEqual(both)
  expect(summary(await watch.watch({ since: 2n }).next())).toEqual(both)
  const resumed = watch.watch({ since: 3n, isResumed: true }).next()
  await changeModels(context, { changes: [update('chat.ember-coder', true, 3)] })
  expect(summary(await resumed)).toEqual([4, ['chat.ember-coder'], []])
})
