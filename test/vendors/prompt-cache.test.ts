import type OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { isRecord } from '../../platform/checks.ts'
import type { SimulatorCall } from '../../simulators/server/exchange.ts'
import { aClient, clientOf, saying, type TestClient } from '../harness/a-client.ts'
import { anApiKey } from '../harness/an-account.ts'
import { logsOf } from '../harness/invariants.ts'
import { cachingOf, callBothWays, costOf, type Params, theVendorsSystem } from './call-both-ways.ts'
import { framesOf } from './read-frames.ts'
import { vendors } from './vendors.ts'

const system = theVendorsSystem()

const rules = 'Be brief, be kind, be exact. '.repeat(300)
const user = (content: string) => ({ role: 'user' as const, content })

/** A question after a beginning that is long enough for a cache. */
function asking(model: string, question: string): Params {
  return { model, messages: [{ role: 'system', content: rules }, user(question)] }
}

/** How much of a request's prompt was read from the cache, in tokens. */
async function cachedFor({ openai }: TestClient, params: Params): Promise<number> {
  return cachingOf(await openai.chat.completions.create(params))?.cached_tokens ?? 0
}

describe.each(vendors)('$model', vendor => {
  const { model, cacheWriteNanos } = vendor

  test('reads its cache at a discount: in usage, in the charge and in its explanation', async () => {
    const client = await aClient(system)
    const first = await client.openai.chat.completions.create(asking(model, 'One?'))
    const [second, streamed] = await callBothWays(client, asking(model, 'Two?'))
    const reported = [first, second, streamed].map(cachingOf)
    const read = reported.map(caching => caching?.cached_tokens ?? 0)
    // Cache writes are reported if they have a separate price: the whole first prompt, then only the new part of the next.
    const written = reported.map(caching => caching?.cache_creation_input_tokens ?? 0)
    expect(reported[0]).toEqual(cacheWriteNanos && { cache_creation_input_tokens: written[0] })
    expect(reported[2]).toEqual({ cached_tokens: read[2], cache_read_input_tokens: read[2] })
    expect(read[1]).toBeGreaterThan(2_000)
    expect(read[2]).toBeGreaterThanOrEqual(read[1]!)
    expect(written[0]! > 2_000).toBe(cacheWriteNanos !== undefined)
    expect(written[1]! > 0).toBe(cacheWriteNanos !== undefined)
    expect(written[1]).toBeLessThan(50)

    const logs = await logsOf(system, client)
    expect(logs.map(log => log.cost_nanos)).toEqual([first, second, streamed].map(one => costOf(vendor, one)))
    expect(logs.map(log => [log.cached_tokens, log.cache_creation_tokens])).toEqual(
      read.map((tokens, index) => [BigInt(tokens), BigInt(written[index]!)]),
    )
    const explained = logs.map(log => JSON.stringify(log.cost_terms).match(/cache_\w+/g) ?? [])
    const write = cacheWriteNanos ? ['cache_write'] : []
    expect(explained.map(terms => terms.toSorted())).toEqual([
      write,
      ['cache_read', ...write],
      ['cache_read'],
    ])
  })

  test('finds a conversation again up to the end of the turn before', async () => {
    const client = await aClient(system)
    const messages: Params['messages'] = [{ role: 'system', content: rules }]
    for (const turn of ['One', 'Two', 'Three']) {
      messages.push(user(`${turn}: ${'how now, brown cow? '.repeat(540)}`))
      const { choices } = await client.openai.chat.completions.create({ model, messages })
      messages.push({ role: 'assistant', content: choices[0]?.message.content ?? '' })
    }
    messages.push(user('Four?'))
    const { usage } = await client.openai.chat.completions.create({ model, messages })
    expect(usage?.prompt_tokens).toBeGreaterThan(10_000)
    expect(usage?.prompt_tokens_details?.cached_tokens).toBeGreaterThan(usage!.prompt_tokens - 200)
  })

  test('has its fields on the last chunk, and none of them where it is zero', async () => {
    const client = await aClient(system)
    const last = async (params: Params) => {
      const response = await client.post('/chat/completions', { ...params, stream: true })
      return framesOf(await response.text()).at(-1)
    }
    const fieldsOf = async (question: string) =>
      Object.keys((await last(asking(model, question)))?.usage?.prompt_tokens_details ?? {})
    expect(await fieldsOf('One?')).toEqual(cacheWriteNanos ? ['cache_creation_input_tokens'] : [])
    expect(await fieldsOf('Two?')).toEqual([
      ...['cached_tokens', 'cache_read_input_tokens'],
      ...(cacheWriteNanos ? ['cache_creation_input_tokens'] : []),
    ])
    const uncached = await last(saying('Short', model))
    expect(uncached?.choices?.[0]?.finish_reason).toBe('stop')
    expect(uncached?.usage).not.toHaveProperty('prompt_tokens_details')
  })

  test('knows a prompt_cache_key within the space of its end user alone', async () => {
    const [one, other] = [await aClient(system), await aClient(system)]
    const cached = (client: TestClient, more: Partial<Params> = {}) =>
      cachedFor(client, { ...asking(model, 'Hi'), prompt_cache_key: 'shared', user: 'same', ...more })
    expect(await cached(one)).toBe(0)
    expect(await cached(one)).toBeGreaterThan(1_024)
    expect(await cached(other)).toBe(0)
    expect(await cached(one, { user: 'another' })).toBe(0)
    expect(await cached(one, { safety_identifier: 'a third' })).toBe(0)
    const narrower = await cached(one, { prompt_cache_key: 'narrower' })
    expect(narrower > 0, 'only vendor_a heeds it').toBe(model !== 'vendor_a/atlas')
    expect(await cached(one)).toBeGreaterThan(1_024)
  })
})

const manyTools: OpenAI.ChatCompletionTool[] = Array.from({ length: 30 }, (_, index) => ({
  type: 'function',
  function: { name: `tool_${index}`, description: rules.slice(0, 400) },
}))
const oneTool: OpenAI.ChatCompletionTool = { type: 'function', function: { name: 'f', description: rules } }
const hi = [user('Hi')]
const long: [string, Partial<Params>][] = [
  ['tools and no system', { messages: hi, tools: manyTools }],
  ['tools that none may call', { messages: hi, tools: manyTools, tool_choice: 'none' }],
  ['a long question', { messages: [user(rules)] }],
  ['a long history', { messages: [user(rules), { role: 'assistant', content: rules }, user('So?')] }],
  ['a long description of one tool', { messages: hi, tools: [oneTool] }],
]
const everything: [string, string, Partial<Params>][] = [
  ...vendors.map(({ model }): [string, string, Partial<Params>] => [model, 'a long system', {}]),
  ...vendors.flatMap(({ model }) =>
    long.map(([what, sent]): [string, string, Partial<Params>] => [model, what, sent]),
  ),
]

/** What distinguishes end users to a vendor (docs/behaviour.md, Prompt caching). */
const partitionOf: Record<string, (call: SimulatorCall) => unknown> = {
  'vendor_a/atlas': ({ body }) => isRecord(body) && body.prompt_cache_key,
  'vendor_b/lyric': ({ headers }) => headers['session-id'],
  'vendor_c/prism-pro': ({ body }) => /cache partition (\S+)/.exec(JSON.stringify(body))?.[1],
}

test.each(everything)(
  'no two end users and no two accounts share a token, whatever they send: %s: %s',
  async (model, _what, sent) => {
    const client = await aClient(system)
    const other = await aClient(system)
    const sameAccount = clientOf(system, await anApiKey(system.context, { accountId: client.accountId }))
    const partitions = () => new Set(system.simulator.calls.map(partitionOf[model]!)).size
    const cached = (of: TestClient, more: Partial<Params> = {}) =>
      cachedFor(of, { ...asking(model, 'One?'), ...sent, ...more })
    expect(await cached(client, { user: 'ann' })).toBe(0)
    expect(await cached(client, { user: 'bob' })).toBe(0)
    expect(await cached(client, { safety_identifier: 'cem' })).toBe(0)
    expect(await cached(client)).toBe(0)
    expect(await cached(other, { user: 'ann' })).toBe(0)
    expect(await cached(other)).toBe(0)
    expect(partitions()).toBe(6)
    expect(await cached(client, { user: 'ann' })).toBeGreaterThan(1_000)
    expect(await cached(sameAccount, { user: 'ann' })).toBeGreaterThan(1_000)
    expect(partitions()).toBe(6)
  },
)
