import { expect, test } from 'vitest'
import { dollars } from '../../platform/money.ts'
import { aClient, saying } from '../harness/a-client.ts'
import { theEdgeSystem } from '../harness/an-edge.ts'
import { logsOf } from '../harness/invariants.ts'

const system = theEdgeSystem()

const messages = [{ role: 'user', content: 'Hello' }]
const requests: Record<string, { path: string; body: object }> = {
  'chat completions': { path: '/chat/completions', body: { model: 'vendor_a/atlas', messages } },
  Responses: { path: '/responses', body: { model: 'vendor_a/atlas', input: 'Hello' } },
  Messages: { path: '/messages', body: { model: 'vendor_b/lyric', max_tokens: 20, messages } },
}

/** Every `cost` in a response. */
function costsIn(text: string): number[] {
  return [...text.matchAll(/"cost":([^,}]+)/g)].map(([, cost]) => Number(cost))
}

test.each(
  Object.keys(requests).flatMap(name => [
    [name, false],
    [name, true],
  ]),
)('the usage of %s has the charge, once, also after its last chunk: streamed %j', async (name, stream) => {
  const { path, body } = requests[String(name)]!
  const client = await aClient(system)
  const response = await client.post(path, { ...body, stream })
  const text = await response.text()
  const [log] = await logsOf(system, client)
  expect(log?.cost_nanos).toBeGreaterThan(0n)
  expect(costsIn(text)).toEqual([dollars(log?.cost_nanos)])
  expect(text).toMatch(/"usage":\{[^}]*("[a-z_]+":\{[^}]*\}[^}]*)*"cost"/)
})

test.each(Object.keys(requests))(
  'a stream of %s that breaks off ends with the charge of its part, also repeated',
  async name => {
    const { path, body } = requests[name]!
    const client = await aClient(system)
    const content = 'say 60 words [[fault: cut;n=5]]'
    const asked = { ...body, stream: true, ...('input' in body ? { input: content } : saying(content)) }
    const ask = async () => (await client.post(path, asked, { 'idempotency-key': 'broken' })).text()
    const [text, repeated] = [await ask(), await ask()]
    const [log, ...more] = await logsOf(system, client)
    expect([more, repeated === text]).toEqual([[], true])
    expect(log).toMatchObject({ status: 502, usage_estimated: true })
    expect(log?.cost_nanos).toBeGreaterThan(0n)
    expect(costsIn(text.slice(text.lastIndexOf('data: ')))).toEqual([dollars(log?.cost_nanos)])
  },
)

test('the OpenAI SDK gets the charge of a stream that breaks off in a usage chunk, before the error', async () => {
  const client = await aClient(system)
  const asked = saying('say 60 words [[fault: cut;n=5]]')
  const options = { ...asked, stream: true, stream_options: { include_usage: true } } as const
  const usages: unknown[] = []
  const reading = async () => {
    for await (const { usage } of await client.openai.chat.completions.create(options)) usages.push(usage)
  }
  await expect(reading()).rejects.toThrow('The produced part is charged.')
  const [log] = await logsOf(system, client)
  expect(usages.filter(usage => usage)).toEqual([expect.objectContaining({ cost: dollars(log?.cost_nanos) })])
})

test.each([
  ['embeddings', '/embeddings', { model: 'vendor_a/compass-small', input: 'Hello' }],
  ['images', '/images/generations', { model: 'vendor_f/canvas', prompt: 'A boat' }],
])('the response of %s has the charge, and a repeat has the same', async (_, path, body) => {
  const client = await aClient(system)
  const ask = async () => (await client.post(path, body, { 'idempotency-key': 'once' })).text()
  const [first, repeated] = [await ask(), await ask()]
  const [log, ...more] = await logsOf(system, client)
  expect(more).toEqual([])
  expect(log?.cost_nanos).toBeGreaterThan(0n)
  expect(costsIn(first)).toEqual([dollars(log?.cost_nanos)])
  expect(repeated).toBe(first)
})
