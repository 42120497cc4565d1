import { expect, test } from 'vitest'
import { findModel } from '../../domain/models/model-records.ts'
import { aClient, saying } from '../harness/a-client.ts'
import { anEdgeSystem } from '../harness/an-edge.ts'
import { perFile } from '../harness/per-file.ts'

const aliasesOf: Record<string, string[]> = {
  'chat.atlas': ['openai/atlas', 'atlas'],
  'text-to-image.canvas': ['canvas'],
  'text-embedding.compass-small': ['openai/compass-small'],
}
const system = perFile(() =>
  anEdgeSystem(
    {},
    {
      changeCatalogue({ models }) {
        for (const model of models) model.known_as = aliasesOf[model.id]
      },
    },
  ),
)

test.each(['openai/atlas', 'atlas'])(
  'a chat with %s is answered, charged and logged as its model',
  async name => {
    const client = await aClient(system)
    const request = saying('Hello', name)
    const { model } = await client.openai.chat.completions.create(request)
    expect(model).toBe('vendor_a/atlas')
    const counted = await client.post('/messages/count_tokens', { ...request, max_tokens: 10 })
    expect(counted.status).toBe(200)
    const logged = await system.context.sql`
    select model, cost_nanos > 0 as "isCharged" from request_logs where account_id = ${client.accountId}`
    expect(logged.filter(({ isCharged }) => isCharged)).toEqual([
      { model: 'vendor_a/atlas', isCharged: true },
    ])
  },
)

test('images and embeddings have aliases too', async () => {
  const { openai } = await aClient(system)
  const { data } = await openai.images.generate({ model: 'canvas', prompt: 'A boat' })
  expect(data).toHaveLength(1)
  const embedded = await openai.embeddings.create({ model: 'openai/compass-small', input: 'A boat' })
  expect(embedded.model).toBe('vendor_a/compass-small')
})

test('an alias of another task, and an unknown name, are not found', async () => {
  const { post } = await aClient(system)
  for (const name of ['canvas', 'openai/canvas', 'Atlas'])
    expect((await post('/chat/completions', saying('Hello', name))).status).toBe(404)
})

test('models are listed by ID with their aliases, and found by both', async () => {
  const { openai } = await aClient(system)
  const { data } = await openai.models.list()
  const listed = data.find(({ id }) => id === 'vendor_a/atlas')
  expect(listed).toMatchObject({ aliases: ['openai/atlas', 'atlas'] })
  expect(data.filter(({ id }) => id.includes('atlas') && !id.startsWith('vendor_a/'))).toEqual([])
  expect(await openai.models.retrieve('openai/atlas')).toEqual(listed)

  const context = { ...system.context, knownModels: new Map() }
  expect(await findModel(context, { id: 'atlas' })).toMatchObject({ entry: { id: 'chat.atlas' } })
  expect(await findModel(context, { id: 'atlas-' })).toBeUndefined()
})
