import { expect, test } from 'vitest'
import { aClient, clientOf, saying, type TestClient } from '../harness/a-client.ts'
import { anApiKey } from '../harness/an-account.ts'
import { theEdgeSystem } from '../harness/an-edge.ts'
import { logsOf } from '../harness/invariants.ts'

const system = theEdgeSystem()

async function get({ text }: Pick<TestClient, 'text'>, path: string) {
  const response = await fetch(system.baseURL + path, { headers: { authorization: `Bearer ${text}` } })
  return { status: response.status, body: await response.json() }
}

test('a key reads its cap, what is left of it and what it spent', async () => {
  const client = await aClient(system, { limitNanos: 1_000_000_000n, resetInterval: 'daily' })
  const other = clientOf(system, await anApiKey(system.context, client))
  for (const one of [client, other]) await one.post('/chat/completions', saying('Hello'))
  const [log] = await logsOf(system, client)
  const spent = Number(log?.cost_nanos) / 1e9
  expect((await get(client, '/key')).body.data).toMatchObject({
    limit: 1,
    limit_remaining: Number(1_000_000_000n - log?.cost_nanos) / 1e9,
    limit_reset: 'daily',
    usage: spent,
    usage_daily: spent,
    usage_weekly: spent,
    usage_monthly: spent,
    byok_usage_monthly: 0,
    creator_user_id: null,
    is_management_key: false,
    expires_at: null,
    rate_limit: { requests: 1_000_000, interval: '10s' },
  })
  expect((await get(other, '/key')).body.data).toMatchObject({ limit: null, limit_remaining: null })
})

test('credits are those of the account, with the spending of all its keys, also to a provisioning key', async () => {
  const client = await aClient(system)
  const manager = await anApiKey(system.context, { ...client, isProvisioning: true })
  await client.post('/chat/completions', saying('Hello'))
  const [log] = await logsOf(system, client)
  const data = { total_credits: 100, total_usage: Number(log?.cost_nanos) / 1e9 }
  for (const key of [client, manager]) expect((await get(key, '/credits')).body).toEqual({ data })
  expect((await get(manager, '/key')).body.data).toMatchObject({ is_provisioning_key: true, usage: 0 })
  expect((await get(manager, '/models')).status).toBe(403)
})

test('a generation is found by the ID of its request or answer, and only by a key that may see it', async () => {
  const client = await aClient(system)
  const body = { model: 'vendor_a/atlas', input: 'Hello', user: 'ada' }
  const answer = await (await client.post('/responses', body)).json()
  const [log] = await logsOf(system, client)
  const found = await get(client, `/generation?id=${answer.id}`)
  expect(found).toEqual(await get(client, `/generation?id=${log?.id}`))
  expect(found.body.data).toMatchObject({
    id: log?.id,
    model: 'vendor_a/atlas',
    provider_name: 'vendor_a',
    total_cost: answer.usage.cost,
    tokens_prompt: answer.usage.input_tokens,
    tokens_completion: answer.usage.output_tokens,
    external_user: 'ada',
    is_byok: false,
    provider_responses: null,
  })
  const manager = await anApiKey(system.context, { ...client, isProvisioning: true })
  expect((await get(manager, `/generation?id=${answer.id}`)).status).toBe(200)
  for (const stranger of [await anApiKey(system.context, client), await aClient(system)])
    expect(await get(stranger, `/generation?id=${answer.id}`)).toMatchObject({
      status: 404,
      body: { code: 404, error: { code: 'not_found', param: 'id' } },
    })
})

test.each([
  ['/chat/completions', saying('Hello')],
  ['/chat/completions', { ...saying('say 9 words'), stream: true }],
  ['/messages', { ...saying('Hello'), max_tokens: 20 }],
])('a generation is found by the ID in each answer of %s %j', async (path, body) => {
  const client = await aClient(system)
  const answer = await (await client.post(path, body)).text()
  const ids = new Set(answer.match(/(?:chatcmpl-|msg_)\w+/g))
  expect(ids.size).toBe(1)
  const [log] = await logsOf(system, client)
  expect((await get(client, `/generation?id=${[...ids][0]}`)).body.data).toMatchObject({
    id: log?.id,
    total_cost: Number(log?.cost_nanos) / 1e9,
    streamed: 'stream' in body,
    finish_reason: null,
  })
})

test.each([
  ['', 'missing_parameter'],
  ['?id=', 'missing_parameter'],
  ['?id=chatcmpl-1', 'invalid_request'],
  ['?id=req_1&id=req_2', 'invalid_request'],
])('/generation%s fails with 400 %s', async (query, code) => {
  const found = await get(await aClient(system), `/generation${query}`)
  expect(found).toMatchObject({ status: 400, body: { error: { code, param: 'id' } } })
})
