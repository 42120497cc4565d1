import { afterEach, beforeEach, expect, test } from 'vitest'
import { aByokSystem } from '../harness/a-byok-system.ts'
import { aClient, saying } from '../harness/a-client.ts'
import { balanceOf, expectLedgerToBalance, logsOf } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'

const system = perFile(aByokSystem)
const client = perFile(() => aClient(system))
beforeEach(() => system.simulator.reset())
afterEach(() => expectLedgerToBalance(system.context.sql))

const model = 'vendor_a/compass-small'

test('the SDK gets an embedding for each input, as numbers and in base64 the same', async () => {
  const { openai } = client
  const asBase64 = await openai.embeddings.create({ model, input: ['one', 'two'] })
  expect(system.simulator.calls.at(-1)?.body).toMatchObject({ encoding_format: 'base64' })
  const asNumbers = await openai.embeddings.create({ model, input: ['one', 'two'], encoding_format: 'float' })
  const data = [0, 1].map(index => ({ object: 'embedding', index, embedding: expect.any(Array) }))
  expect(asNumbers).toMatchObject({ object: 'list', model, data })
  for (const [index, { embedding }] of asBase64.data.entries()) {
    expect(embedding).toHaveLength(1_536)
    expect(embedding[7]).toBeCloseTo(asNumbers.data[index]!.embedding[7]!, 6)
  }
  expect(asNumbers.data[0]?.embedding).not.toEqual(asNumbers.data[1]?.embedding)
})

test('a text, tokens, lists of either, and how many numbers', async () => {
  const ask = async (input: string | number[] | number[][], more = {}) =>
    client.openai.embeddings.create({ model, input, encoding_format: 'float', ...more })
  expect((await ask('Hello', { dimensions: 64 })).data[0]?.embedding).toHaveLength(64)
  const tokens = await ask([1, 2, 3])
  expect(tokens.data).toHaveLength(1)
  expect(tokens.usage).toEqual({ prompt_tokens: 3, total_tokens: 3, cost: 0.00000006 })
  expect((await ask([[1, 2], [3]])).data).toHaveLength(2)
})

test('input tokens are charged, once under an Idempotency-Key, and logged', async () => {
  const payer = await aClient(system)
  const body = { model, input: 'word '.repeat(400), encoding_format: 'float' }
  const first = await payer.post('/embeddings', body, { 'idempotency-key': 'once' })
  const again = await payer.post('/embeddings', body, { 'idempotency-key': 'once' })
  const { usage } = await first.json()
  expect((await again.json()).usage).toEqual(usage)
  const costNanos = BigInt(usage.prompt_tokens) * 20n
  const [log, ...more] = await logsOf(system, payer)
  expect(more).toEqual([])
  const charged = { cost_nanos: costNanos, completion_tokens: 0n }
  expect(log).toMatchObject({ route: 'embeddings', model, status: 200, ...charged })
  expect(await balanceOf(system.context.sql, payer.accountId)).toMatchObject({
    credits: 100_000_000_000n - costNanos,
    in_use: 0n,
  })
})

test("a credential of the account's own is used, and costs nothing", async () => {
  const poor = await aClient(system, { creditNanos: 0n })
  const refused = await poor.post('/embeddings', { model, input: 'Hi' })
  expect(refused.status).toBe(402)
  await system.aCredential(poor, 'sim-customer-key')
  expect((await poor.post('/embeddings', { model, input: 'Hi' })).status).toBe(200)
  expect(system.usedKeys()).toEqual(['sim-customer-key'])
  const log = { status: 200, cost_nanos: 0n, byok_id: expect.any(String) }
  expect((await logsOf(system, poor)).at(-1)).toMatchObject(log)
})

test('a request over an own credential is refused if its answer could have more than 32 MB', async () => {
  const numbers = { model, input: Array(2_048).fill('a'), encoding_format: 'float' as const }
  const owner = await aClient(system)
  await system.aCredential(owner, 'sim-customer-key')
  const refusal = await owner.post('/embeddings', numbers)
  expect([refusal.status, (await refusal.json()).error.param]).toEqual([400, 'input'])
  expect((await owner.post('/embeddings', { ...numbers, dimensions: 64 })).status).toBe(200)
  expect(system.usedKeys()).toEqual(['sim-customer-key'])
})

const refused: [string, object, number, string, string | null][] = [
  ['no input', {}, 400, 'missing_parameter', 'input'],
  ['an empty input', { input: '' }, 400, 'invalid_request', 'input'],
  ['an input of no kind', { input: 5 }, 400, 'invalid_request', 'input'],
  ['an input among others', { input: ['a', ''] }, 400, 'invalid_request', 'input[1]'],
  ['texts among tokens', { input: [1, 'a'] }, 400, 'invalid_request', 'input[0]'],
  ['too many inputs', { input: Array(2_049).fill('a') }, 400, 'invalid_request', 'input'],
  ['too many numbers', { input: 'a', dimensions: 9_999 }, 400, 'invalid_request', 'dimensions'],
  ['an input that is too long', { input: 'word '.repeat(9_000) }, 400, 'context_length_exceeded', 'input'],
  ['a model that chats', { input: 'a', model: 'vendor_a/atlas' }, 404, 'model_not_found', 'model'],
]
test.each(refused)('%s is refused, and costs nothing', async (_, fields, status, code, param) => {
  const answer = await client.post('/embeddings', { model, ...fields })
  const body = await answer.json()
  expect(body).toMatchObject({ code: status, error: { param } })
  expect(body.error.code === code || code === 'invalid_request').toBe(true)
  expect(answer.status).toBe(status)
})

test('a model of embeddings does not chat, and is listed with its price', async () => {
  expect((await client.post('/chat/completions', saying('Hi', model))).status).toBe(404)
  const { data } = await client.openai.models.list()
  const rates = Object.entries({ input: 0.02, output: 0 }).map(([of, price]) => ({ of, price }))
  expect(data.find(({ id }) => id === model)).toMatchObject({ modality: 'chat', pricing: { rates } })
})

// Last: the first estimate loads the tokenizer, and a machine that is slow at it refuses what comes right after.
test('where the vendor counts nothing the input is charged by estimate; where it fails, nothing is', async () => {
  const payer = await aClient(system)
  const failed = await payer.post('/embeddings', { model, input: 'Hi [[fault: 500]]' })
  expect(failed.status).toBe(502)
  await payer.post('/embeddings', { model, input: `${'word '.repeat(100)} [[fault: no-usage]]` })
  const [broken, estimated] = await logsOf(system, payer)
  expect(estimated).toMatchObject({ status: 200, usage_estimated: true })
  expect(estimated?.cost_nanos).toBeGreaterThan(500n)
  expect(broken).toMatchObject({ status: 502, cost_nanos: 0n })
})

test('a request chooses its vendor, but no other model', async () => {
  const ask = (fields: object) => client.post('/embeddings', { model, input: 'one', ...fields })
  for (const [fields, param] of [
    [{ models: ['vendor_a/compass-large'] }, 'models'],
    [{ provider: { ignore: ['vendor_a'] } }, 'provider.ignore'],
    [{ provider: { max_price: { prompt: 0.001 } } }, 'provider.max_price'],
  ] as const) {
    const answer = await ask(fields)
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { param } }])
  }
  const provider = { only: ['vendor_a'], require_parameters: true, sort: 'price', max_price: { prompt: 1 } }
  expect((await ask({ provider, encoding_format: 'float', dimensions: 4, models: [] })).status).toBe(200)
  const sent = system.simulator.calls.map(({ body }) => Object.keys(body ?? {}))
  expect(sent).toEqual([expect.not.arrayContaining(['provider'])])
})
