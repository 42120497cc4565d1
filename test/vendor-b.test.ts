import type OpenAI from 'openai'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { ChatRequest } from '../schema/wire/chat.ts'
import { callChat } from '../upstreams/call-chat.ts'
import { Line } from '../upstreams/http/line.ts'
import { openUpstreams } from '../upstreams/open-upstreams.ts'
import { aChatCall } from './harness/a-chat-call.ts'
import { aClient, clientOf, saying, type TestClient } from './harness/a-client.ts'
import { anApiKey } from './harness/an-account.ts'
import { anEdgeHouse, type EdgeHouse } from './harness/an-edge.ts'
import { balanceOf, expectLedgerToBalance } from './harness/invariants.ts'

let house: EdgeHouse

beforeAll(async () => {
  house = await anEdgeHouse({ IDLE_TIMEOUT_MS: '500' })
})
afterEach(() => expectLedgerToBalance(house.context.sql))
afterAll(() => house.close())

const lyric = 'vendor_b/lyric'
const classic = 'vendor_b/lyric-classic'

type Params = OpenAI.ChatCompletionCreateParamsNonStreaming

/** The same question, whole and streamed, the stream put together by the client's own helper. */
async function askBothWays({ openai }: TestClient, params: Params): Promise<OpenAI.ChatCompletion[]> {
  const whole = await openai.chat.completions.create(params)
  const streamed = await openai.chat.completions
    .stream({ ...params, stream: true, stream_options: { include_usage: true } })
    .finalChatCompletion()
  return [whole, streamed]
}

async function logsOf({ accountId }: TestClient) {
  return house.context.sql`select * from request_logs where account_id = ${accountId} order by created_at`
}

async function framesOf(client: TestClient, body: object) {
  const response = await client.post('/chat/completions', { ...body, stream: true })
  const text = await response.text()
  const frames = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, frame = '']) => JSON.parse(frame))
  return { response, text, frames }
}

describe('an answer', () => {
  test('whole and streamed, is charged and logged with what the vendor counted', async () => {
    const client = await aClient(house)
    const answers = await askBothWays(client, saying('Hello there', lyric))
    for (const answer of answers) {
      expect(answer).toMatchObject({ model: lyric, choices: [{ finish_reason: 'stop' }] })
      expect(answer.choices[0]?.message.content).toContain('read "Hello there"')
    }
    const logs = await logsOf(client)
    const costs = answers.map(({ usage }) => {
      const { prompt_tokens = 0, completion_tokens = 0 } = usage ?? {}
      return BigInt(prompt_tokens * 3_000 + completion_tokens * 15_000)
    })
    expect(logs.map(log => [log.status, log.streamed, log.usage_estimated, log.cost_nanos])).toEqual([
      [200, false, false, costs[0]],
      [200, true, false, costs[1]],
    ])
    expect(logs.map(log => log.upstream_request_id)).toEqual([
      expect.stringMatching(/^req_/),
      expect.stringMatching(/^req_/),
    ])
    const { credits, in_use: inUse } = await balanceOf(house.context.sql, client.accountId)
    expect([credits, inUse]).toEqual([100_000_000_000n - (costs[0] ?? 0n) - (costs[1] ?? 0n), 0n])
  })

  test('ends at its limit, and at a stop sequence', async () => {
    const client = await aClient(house)
    for (const answer of await askBothWays(client, { ...saying('say 50 words', lyric), max_tokens: 5 })) {
      expect(answer.choices[0]?.finish_reason).toBe('length')
      expect(answer.usage?.completion_tokens).toBe(5)
    }
    const [whole] = await askBothWays(client, {
      ...saying('Hello', classic),
      stop: ['read'],
      temperature: 1.7,
    })
    expect(whole?.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'lyric-4 ' } })
  })

  test('may think, and counts it', async () => {
    const client = await aClient(house)
    for (const answer of await askBothWays(client, {
      ...saying('Hello', lyric),
      reasoning_effort: 'medium',
    })) {
      expect(answer.usage?.completion_tokens_details?.reasoning_tokens).toBe(64)
      expect(answer.choices[0]?.message.content).toContain('read "Hello"')
    }
  })

  test('may be a refusal, in the words of the vendor', async () => {
    const client = await aClient(house)
    for (const answer of await askBothWays(client, saying('Hello [[fault: refusal]]', lyric))) {
      expect(answer.choices[0]).toMatchObject({
        finish_reason: 'content_filter',
        message: { refusal: 'The simulator was asked to refuse.' },
      })
    }
    expect((await logsOf(client)).every(log => log.cost_nanos > 0n)).toBe(true)
  })

  test('reads images, inline and by address', async () => {
    const client = await aClient(house)
    const content: OpenAI.ChatCompletionContentPart[] = [
      { type: 'text', text: 'Compare these' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
    ]
    for (const answer of await askBothWays(client, { model: lyric, messages: [{ role: 'user', content }] }))
      expect(answer.choices[0]?.message.content).toContain('and saw 2 attached')
  })
})

describe('tools', () => {
  const tools: OpenAI.ChatCompletionTool[] = ['get_weather', 'get_time'].map(name => ({
    type: 'function',
    function: {
      name,
      parameters: {
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city'],
        additionalProperties: false,
      },
      strict: true,
    },
  }))

  test.each([lyric, classic])('a loop with %s: called in parallel, answered in any order', async model => {
    const client = await aClient(house)
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: 'system', content: 'Use tools.' },
      { role: 'user', content: 'Weather and time, in parallel please' },
    ]
    for (const asked of await askBothWays(client, { model, messages, tools })) {
      const { message, finish_reason: reason } = asked.choices[0]!
      expect(reason).toBe('tool_calls')
      const calls = message.tool_calls ?? []
      expect(calls).toMatchObject([{ function: { name: 'get_weather' } }, { function: { name: 'get_time' } }])
      const results = calls.map(call => {
        expect(call.type === 'function' && JSON.parse(call.function.arguments)).toEqual({
          city: expect.any(String),
        })
        return { role: 'tool' as const, tool_call_id: call.id, content: `result of ${call.id.slice(-1)}` }
      })
      const history = [...messages, message, ...results.reverse()]
      for (const answer of await askBothWays(client, { model, messages: history, tools }))
        expect(answer.choices[0]?.message.content).toMatch(/result of 1 and result of 0/)
      const [toolless] = await askBothWays(client, { model, messages: history })
      expect(toolless?.choices[0]?.message.content).toContain('result of 1')
    }
  })

  test('without arguments are called with {}', async () => {
    const client = await aClient(house)
    const now: OpenAI.ChatCompletionTool = { type: 'function', function: { name: 'now' } }
    for (const answer of await askBothWays(client, { ...saying('Time?', lyric), tools: [now] }))
      expect(answer.choices[0]?.message.tool_calls).toMatchObject([
        { function: { name: 'now', arguments: '{}' } },
      ])
  })

  test('a conversation that began with another vendor goes on', async () => {
    const client = await aClient(house)
    const question: OpenAI.ChatCompletionMessageParam = { role: 'user', content: 'Weather?' }
    const first = await client.openai.chat.completions.create({
      model: 'vendor_a/atlas',
      messages: [question],
      tools,
    })
    const { message } = first.choices[0]!
    const [call] = message.tool_calls ?? []
    const history = [question, message, { role: 'tool' as const, tool_call_id: call!.id, content: 'sunny' }]
    for (const answer of await askBothWays(client, { model: lyric, messages: history, tools }))
      expect(answer.choices[0]?.message.content).toContain('sunny')
  })
})

describe('answers in JSON', () => {
  const schema = {
    type: 'object',
    properties: { city: { type: 'string' }, degrees: { type: 'integer', minimum: -90, maximum: 90 } },
    required: ['city', 'degrees'],
    additionalProperties: false,
  }

  test.each([lyric, classic])('by a schema: %s', async model => {
    const client = await aClient(house)
    const response_format = {
      type: 'json_schema' as const,
      json_schema: { name: 'weather', strict: true, schema },
    }
    for (const answer of await askBothWays(client, {
      ...saying('Weather in Bern', model),
      response_format,
    })) {
      expect(answer.choices[0]).toMatchObject({ finish_reason: 'stop', message: { role: 'assistant' } })
      expect(JSON.parse(answer.choices[0]?.message.content ?? '')).toEqual({
        city: expect.any(String),
        degrees: expect.any(Number),
      })
    }
  })

  test.each([lyric, classic])('as any object: %s', async model => {
    const client = await aClient(house)
    const response_format = { type: 'json_object' as const }
    for (const answer of await askBothWays(client, { ...saying('Weather as JSON', model), response_format }))
      expect(JSON.parse(answer.choices[0]?.message.content ?? '')).toEqual(expect.any(Object))
  })
})

describe('the prompt cache', () => {
  const rules = 'Be brief, be kind, be exact. '.repeat(300)
  const asking = (question: string, more: Partial<Params> = {}): Params => ({
    model: lyric,
    messages: [
      { role: 'system', content: rules },
      { role: 'user', content: question },
    ],
    ...more,
  })
  const detailsOf = (answer: OpenAI.ChatCompletion | undefined) => answer?.usage?.prompt_tokens_details

  test('writes at a premium, then reads at a discount: in usage, in the charge and in its explanation', async () => {
    const client = await aClient(house)
    house.simulator.reset()
    const first = await client.openai.chat.completions.create(asking('One?'))
    const [second, streamed] = await askBothWays(client, asking('Two?'))
    const prefix = Math.ceil(`system: ${rules}\n`.length / 4)
    const read = { cached_tokens: prefix, cache_read_input_tokens: prefix }
    expect(detailsOf(first)).toEqual({ cache_creation_input_tokens: prefix })
    expect(detailsOf(second)).toEqual(read)
    expect(detailsOf(streamed)).toEqual(read)

    const logs = await logsOf(client)
    const used = ({ usage }: OpenAI.ChatCompletion) => ({
      fresh: (usage?.prompt_tokens ?? 0) - prefix,
      output: usage?.completion_tokens ?? 0,
    })
    const costOf = (answer: OpenAI.ChatCompletion, prefixNanos: number) =>
      BigInt(used(answer).fresh * 3_000 + prefix * prefixNanos + used(answer).output * 15_000)
    expect(logs.map(log => log.cost_nanos)).toEqual([
      costOf(first, 3_750),
      costOf(second!, 300),
      costOf(streamed!, 300),
    ])
    expect(logs.map(log => [log.cached_tokens, log.cache_creation_tokens])).toEqual([
      [0n, BigInt(prefix)],
      [BigInt(prefix), 0n],
      [BigInt(prefix), 0n],
    ])
    const terms = logs.map(log => JSON.stringify(log.cost_terms))
    expect(terms[0]).toContain('cache_write')
    expect(terms[1]).toContain('cache_read')
    expect(terms[1]).not.toContain('cache_write')
  })

  test('its fields stand on the last chunk, and are left out where they are zero', async () => {
    const client = await aClient(house)
    house.simulator.reset()
    const last = async (question: string) => (await framesOf(client, asking(question))).frames.at(-1)
    const written = await last('One?')
    expect(Object.keys(written.usage.prompt_tokens_details)).toEqual(['cache_creation_input_tokens'])
    const read = await last('Two?')
    expect(Object.keys(read.usage.prompt_tokens_details)).toEqual([
      'cached_tokens',
      'cache_read_input_tokens',
    ])
    expect(read.choices[0].finish_reason).toBe('stop')
    const { frames } = await framesOf(client, saying('Short', lyric))
    expect(frames.at(-1).usage).not.toHaveProperty('prompt_tokens_details')
  })

  test('two end users of one account, and two accounts, never read what the other wrote', async () => {
    const client = await aClient(house)
    const other = await aClient(house)
    const sameAccount = clientOf(house, await anApiKey(house.context, { accountId: client.accountId }))
    house.simulator.reset()
    const ask = async ({ openai }: TestClient, user?: string) =>
      detailsOf(await openai.chat.completions.create(asking('One?', { user, prompt_cache_key: undefined })))
    const written = { cache_creation_input_tokens: expect.any(Number) }
    const read = { cached_tokens: expect.any(Number), cache_read_input_tokens: expect.any(Number) }
    expect(await ask(client, 'ann')).toEqual(written)
    expect(await ask(client, 'bob')).toEqual(written)
    expect(await ask(client)).toEqual(written)
    expect(await ask(other, 'ann')).toEqual(written)
    expect(await ask(other)).toEqual(written)
    expect(await ask(client, 'ann')).toEqual(read)
    expect(await ask(sameAccount, 'ann')).toEqual(read)
    const sessions = house.simulator.calls.map(call => call.headers['session-id'])
    expect(new Set(sessions).size).toBe(5)
  })
})

describe('row 38: a client that leaves', () => {
  test('ends the call of the vendor, and pays for what was produced', async () => {
    const client = await aClient(house)
    house.simulator.change({ chunkDelayMs: 10 })
    onTestFinished(() => house.simulator.change({ chunkDelayMs: 0 }))
    const stream = await client.openai.chat.completions.create({
      ...saying('say 500 words', lyric),
      stream: true,
    })
    let seen = 0
    for await (const _ of stream) if (++seen === 20) break
    await expect.poll(() => house.simulator.calls.at(-1)).toMatchObject({ aborted: true, finished: false })
    await expect.poll(() => logsOf(client)).toMatchObject([{ status: 499, error_code: 'client_left' }])
    const [log] = await logsOf(client)
    expect(log?.completion_tokens).toBeGreaterThanOrEqual(15n)
    expect(log?.completion_tokens).toBeLessThan(200n)
    expect(log?.cost_nanos).toBe(log?.prompt_tokens * 3_000n + log?.completion_tokens * 15_000n)
    expect((await balanceOf(house.context.sql, client.accountId)).credits).toBe(
      100_000_000_000n - log?.cost_nanos,
    )
  })

  test('before the answer begins pays nothing', async () => {
    const client = await aClient(house)
    const leaving = new AbortController()
    const asked = { ...saying('Hello [[fault: hang]]', lyric), stream: true as const }
    const pending = client.openai.chat.completions.create(asked, { signal: leaving.signal })
    setTimeout(() => leaving.abort(), 100)
    await expect(pending).rejects.toThrow(/aborted/)
    await expect.poll(() => logsOf(client)).toMatchObject([{ status: 499, cost_nanos: 0n }])
  })
})

describe('what fails costs nothing', () => {
  // an answer between two failures, or the breaker opens
  beforeEach(async () => {
    const { openai } = await aClient(house)
    await openai.chat.completions.create(saying('Are you well?', lyric))
  })

  test.each([
    ['529', 503, 'upstream_busy'],
    ['429;ms=5000', 503, 'upstream_busy'],
    ['401', 502, 'upstream_auth'],
    ['403', 502, 'upstream_auth'],
    ['quota', 502, 'upstream_auth'],
    ['500', 502, 'upstream_error'],
    ['504', 504, 'upstream_timeout'],
    ['400', 400, 'invalid_request'],
    ['too-long', 400, 'context_length_exceeded'],
    ['error-frame;n=0', 503, 'upstream_busy'],
    ['garbage;n=0', 502, 'upstream_error'],
  ])('%s', async (fault, status, code) => {
    const client = await aClient(house)
    const asked = saying(`Hello [[fault: ${fault}]]`, lyric)
    for (const stream of [false, true]) {
      const response = await client.post('/chat/completions', { ...asked, stream })
      expect([response.status, await response.json()]).toEqual([
        status,
        expect.objectContaining({ error: expect.objectContaining({ code }) }),
      ])
    }
    expect((await logsOf(client)).map(log => [log.status, log.cost_nanos])).toEqual([
      [status, 0n],
      [status, 0n],
    ])
    expect(await balanceOf(house.context.sql, client.accountId)).toMatchObject({
      credits: 100_000_000_000n,
      in_use: 0n,
    })
  })

  test.each(['error-frame;n=6', 'cut;n=6', 'truncate;n=6', 'stall;n=6', 'garbage;n=6'])(
    '%s in the middle of a stream: an error frame, no [DONE]',
    async fault => {
      const client = await aClient(house)
      const { response, text, frames } = await framesOf(
        client,
        saying(`say 60 words [[fault: ${fault}]]`, lyric),
      )
      expect(response.status).toBe(200)
      expect(text).not.toContain('[DONE]')
      expect(frames.at(-1)).toHaveProperty('error.type', 'upstream_error')
      expect(frames.some(frame => frame.choices?.[0]?.finish_reason)).toBe(false)
      expect(await balanceOf(house.context.sql, client.accountId)).toMatchObject({
        credits: 100_000_000_000n,
      })
    },
  )

  test.each<[string, object]>([
    ['n', { n: 2 }],
    ['logprobs', { logprobs: true }],
    ['stop', { stop: ' ' }],
    ['messages[0].content[0].image_url.url', { messages: [imageOf('data:image/svg+xml;base64,aGk=')] }],
    ['messages[0].tool_call_id', { messages: [{ role: 'tool', tool_call_id: 'x', content: 'y' }] }],
  ])('%s, which the vendor does not take, is named before it is called', async (param, fields) => {
    const client = await aClient(house)
    house.simulator.reset()
    for (const stream of [false, true]) {
      const response = await client.post('/chat/completions', { ...saying('Hi', lyric), ...fields, stream })
      expect([response.status, await response.json()]).toEqual([
        400,
        expect.objectContaining({ error: expect.objectContaining({ param }) }),
      ])
    }
    expect(house.simulator.calls).toEqual([])
  })
})

describe('through Bedrock', () => {
  const keyId = 'AKIASIM000000001'

  async function reach(
    request: Partial<ChatRequest>,
    { apiKey = '', config = {} as Record<string, unknown> } = {},
  ) {
    const upstreams = openUpstreams(house.config)
    const call = aChatCall({ model: lyric, ...request })
    const target = {
      vendor: 'vendor_b',
      baseUrl: `${house.simulator.url}/bedrock/anthropic`,
      apiKey,
      config: { region: 'eu-central-1', ...config },
    }
    const plan = {
      attempts: [{ entry: call.entry, target }],
      prepare: async () => call,
      ended: () => {},
      line: new Line(),
    }
    try {
      const { answer, stream } = await callChat(upstreams, plan)
      let text = answer?.completion.choices[0]?.message.content ?? ''
      for (let chunks = await stream?.read(); chunks; chunks = await stream?.read())
        text += chunks.map(chunk => chunk.choices[0]?.delta.content ?? '').join('')
      return { text, usage: answer?.usage ?? stream?.usage }
    } finally {
      await upstreams.close()
    }
  }

  test.each([
    ['a pair of keys', { apiKey: `${keyId}:secret-of-${keyId}` }],
    [
      'a pair in the configuration',
      { config: { access_key_id: keyId, secret_access_key: `secret-of-${keyId}` } },
    ],
    ['temporary keys', { apiKey: 'ASIASIM000000001:secret-of-ASIASIM000000001:token' }],
    ['a bearer key', { apiKey: 'sim-bedrock-key' }],
    ['an inference profile', { apiKey: 'sim-bedrock-key', config: { model_prefix: 'eu.anthropic.' } }],
  ])('with %s, whole and streamed', async (_what, credential) => {
    for (const stream of [false, true]) {
      const { text, usage } = await reach({ stream }, credential)
      expect(text).toMatch(/anthropic\.lyric-5 read "Hello"/)
      expect(usage?.promptTokens).toBeGreaterThan(0)
    }
  })

  test.each([
    ['a wrong secret', { apiKey: `${keyId}:wrong` }, /signature we calculated does not match/],
    ['an unknown key', { apiKey: 'AKIAUNKNOWN0000:secret' }, /security token .* is invalid/],
    ['a wrong bearer', { apiKey: 'sim-bad' }, /API Key is valid/],
  ])('%s is a refused credential', async (_what, credential, message) => {
    await expect(reach({}, credential)).rejects.toMatchObject({ kind: 'auth', message })
  })

  test("trouble in AWS's words is told apart", async () => {
    const fault = (name: string) =>
      reach({ messages: [{ role: 'user', content: `Hi [[fault: ${name}]]` }] }, { apiKey: 'sim-bedrock-key' })
    await expect(fault('429')).rejects.toMatchObject({ kind: 'busy' })
    await expect(fault('too-long')).rejects.toMatchObject({
      kind: 'request',
      details: { code: 'context_length_exceeded' },
    })
    await expect(fault('408')).rejects.toMatchObject({ kind: 'timeout' })
    await expect(fault('424')).rejects.toMatchObject({ kind: 'broken' })
  })
})

function imageOf(url: string) {
  return { role: 'user', content: [{ type: 'image_url', image_url: { url } }] }
}
