import { expect, test } from 'vitest'
import { creditAccount } from '../../domain/ledger/adjust-credits.ts'
import { clientOf, saying } from '../harness/a-client.ts'
import { anEdgeBeforeControl } from '../harness/an-edge.ts'
import { balanceOf, logsOf } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'

const system = perFile(anEdgeBeforeControl)
const person = perFile(async () => {
  const signedUp = await system.aPerson()
  const credit = {
    accountId: signedUp.accountId,
    amountNanos: 50_000_000_000n,
    source: 's',
    paymentMethod: 'grant',
  }
  await creditAccount(system.context, credit)
  return signedUp
})

const keys = (method: string, path: string, body: object) =>
  system.rest(method, `/api-keys${path}`, { token: person.token, body })

async function aKey(settings: object) {
  const { body } = await keys('POST', '', { name: 'a key', ...settings })
  return {
    id: String(body.id),
    ...clientOf(system, { accountId: person.accountId, keyId: body.id, text: body.key }),
  }
}

const model = 'vendor_a/atlas'
const { messages } = saying('Hello')

test.each<[string, object]>([
  ['/chat/completions', { model, messages }],
  ['/responses', { model, input: 'Hello' }],
  ['/messages', { model, messages, max_tokens: 9 }],
  ['/messages/count_tokens', { model, messages }],
  ['/embeddings', { model: 'vendor_a/compass-small', input: 'Hello' }],
  ['/images/generations', { model: 'vendor_f/canvas', prompt: 'A boat' }],
  ['/videos/generations', { model: 'vendor_i/reel', prompt: 'A boat' }],
  ['/audio/speech', { model: 'vendor_n/herald', input: 'Hello' }],
])('%s refuses a model that the lists of the key do not include', async (path, body) => {
  const before = await balanceOf(system.context.sql, person.accountId)
  for (const [settings, rule] of [
    [{ allowed_models: ['vendor_b/*'] }, 'allowed_models'],
    [{ allowed_vendors: ['vendor_b'] }, 'allowed_vendors'],
  ] as const) {
    const client = await aKey(settings)
    const refused = await client.post(path, body)
    const { error } = await refused.json()
    expect([refused.status, error]).toMatchObject([403, { code: 'model_not_allowed', param: 'model' }])
    expect(error.message).toContain(`The ${rule} of this API key do not include`)
  }
  expect(await balanceOf(system.context.sql, person.accountId)).toEqual(before)
})

test('a list is changed at once, shown in the record, and emptied with null', async () => {
  const client = await aKey({ allowed_models: ['vendor_b/*'] })
  const ask = async () => (await client.post('/chat/completions', { model, messages })).status
  expect(await ask()).toBe(403)
  const changed = await keys('PUT', `/${client.id}`, {
    allowed_models: ['*/atlas'],
    allowed_vendors: ['vendor_a'],
  })
  expect(changed.body).toMatchObject({ allowed_models: ['*/atlas'], allowed_vendors: ['vendor_a'] })
  expect(await ask()).toBe(200)
  await keys('PUT', `/${client.id}`, { allowed_models: ['vendor_b/*'] })
  expect(await ask()).toBe(403)
  await keys('PUT', `/${client.id}`, { allowed_models: null, allowed_vendors: [] })
  expect(await ask()).toBe(200)
  const statuses = (await logsOf(system, client)).filter(log => log.api_key_id === client.id)
  expect(statuses.map(log => log.status)).toEqual([403, 200, 403, 200])
})

test('a request cannot name a model that the lists of its key do not include', async () => {
  const client = await aKey({ allowed_models: ['vendor_a/*'] })
  const ask = (body: object) => client.post('/chat/completions', { messages, ...body })
  const models = ['vendor_b/lyric']
  expect((await ask({ model: 'vendor_b/lyric', models: [model] })).status).toBe(403)
  const failing = { messages: saying('Hi [[fault: flaky;n=2;status=500;key=lists]]').messages }
  expect((await ask({ model, models, ...failing })).status).toBe(502)
})

test('GET /v1/models lists only the models that the key may call', async () => {
  const { openai } = await aKey({
    allowed_models: ['vendor_a/*', 'vendor_b/*'],
    allowed_vendors: ['vendor_a'],
  })
  const vendors = new Set<string>()
  for await (const { owned_by } of openai.models.list()) vendors.add(owned_by)
  expect([...vendors]).toEqual(['vendor_a'])
  await expect(openai.models.retrieve('vendor_b/lyric')).rejects.toMatchObject({ status: 404 })
})

test('the graph shows to a key which models it may call, and to a session all of them', async () => {
  const { text } = await aKey({
    allowed_models: ['*/atlas*', 'vendor_f/*'],
    allowed_vendors: ['vendor_a', 'vendor_f'],
  })
  const query = '{ models(first: 100) { nodes { inferenceId isAllowed } } }'
  const allowedTo = async (token: string) => {
    const response = await fetch(`${system.edge.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    })
    const { data } = await response.json()
    const nodes: { inferenceId: string; isAllowed: boolean }[] = data.models.nodes
    return { all: nodes.length, allowed: nodes.flatMap(node => (node.isAllowed ? [node.inferenceId] : [])) }
  }
  const [toKey, toSession] = [await allowedTo(text), await allowedTo(person.token)]
  expect(toKey.allowed).toEqual(expect.arrayContaining(['vendor_a/atlas', 'vendor_f/canvas']))
  expect(toKey.allowed.filter(id => !/^vendor_a\/atlas|^vendor_f\//.test(id))).toEqual([])
  expect(toSession.allowed).toHaveLength(toSession.all)
})

test('a wrong pattern fails with 422, which names it', async () => {
  const { status, body } = await keys('POST', '', { name: 'a key', allowed_models: ['vendor_a/*', 'a b'] })
  expect([status, body.error.param]).toEqual([422, 'allowed_models[1]'])
})
