import { once } from 'node:events'
import { createServer } from 'node:http'
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
beforeEach(() => {
  house.simulator.reset()
  house.simulator.change({ requireSalt: true })
})
afterEach(() => expectLedgerToBalance(house.context.sql))
afterAll(() => house.close())

const prism = 'vendor_c/prism-pro'
const lite = 'vendor_c/prism-lite'

type Params = OpenAI.ChatCompletionCreateParamsNonStreaming
type ChatMessage = OpenAI.ChatCompletionMessageParam

/** The same question, whole and streamed, the stream put together by the client's own helper. */
async function askBothWays({ openai }: TestClient, params: Params): Promise<OpenAI.ChatCompletion[]> {
  const whole = await openai.chat.completions.create(params)
  const streamed = await openai.chat.completions
    .stream({ ...params, stream: true, stream_options: { include_usage: true } })
    .finalChatCompletion()
  return [whole, streamed]
}

const contentOf = (answer: OpenAI.ChatCompletion | undefined) => answer?.choices[0]?.message.content ?? ''

async function logsOf({ accountId }: TestClient) {
  return house.context.sql`select * from request_logs where account_id = ${accountId} order by created_at`
}

async function framesOf(client: TestClient, body: object) {
  const response = await client.post('/chat/completions', { ...body, stream: true })
  const text = await response.text()
  const frames = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, frame = '']) => JSON.parse(frame))
  return { response, text, frames }
}

/** What the vendor was last sent. */
const lastBody = () => JSON.stringify(house.simulator.calls.at(-1)?.body)

describe('an answer', () => {
  test('whole and streamed, is charged and logged with what the vendor counted', async () => {
    const client = await aClient(house)
    const answers = await askBothWays(client, saying('Hello there', prism))
    for (const answer of answers) {
      expect(answer).toMatchObject({ model: prism, choices: [{ finish_reason: 'stop' }] })
      expect(contentOf(answer)).toContain('read "Hello there"')
    }
    const costs = answers.map(({ usage }) => {
      const { prompt_tokens = 0, completion_tokens = 0 } = usage ?? {}
      return BigInt(prompt_tokens * 2_000 + completion_tokens * 12_000)
    })
    const logs = await logsOf(client)
    expect(logs.map(log => [log.status, log.streamed, log.usage_estimated, log.cost_nanos])).toEqual([
      [200, false, false, costs[0]],
      [200, true, false, costs[1]],
    ])
    const { credits, in_use: inUse } = await balanceOf(house.context.sql, client.accountId)
    expect([credits, inUse]).toEqual([100_000_000_000n - (costs[0] ?? 0n) - (costs[1] ?? 0n), 0n])
  })

  test('ends at its limit, and at a stop sequence', async () => {
    const client = await aClient(house)
    for (const answer of await askBothWays(client, { ...saying('say 50 words', prism), max_tokens: 5 })) {
      expect(answer.choices[0]?.finish_reason).toBe('length')
      expect(answer.usage?.completion_tokens).toBe(5)
    }
    for (const answer of await askBothWays(client, { ...saying('Hello', prism), stop: ['read'] }))
      expect(answer.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'prism-3-pro ' } })
  })

  test.each([
    [prism, 'low', 32],
    [lite, 'minimal', 64],
    [lite, 'none', undefined],
  ])('%s thinks %s, and counts it', async (model, effort, tokens) => {
    const client = await aClient(house)
    const asked = { ...saying('Hello', model), reasoning_effort: effort as 'low' | 'minimal' | 'none' }
    for (const answer of await askBothWays(client, asked)) {
      expect(answer.usage?.completion_tokens_details?.reasoning_tokens).toBe(tokens)
      expect(contentOf(answer)).toContain('read "Hello"')
    }
  })

  test('comes several times, with likelihoods', async () => {
    const client = await aClient(house)
    for (const answer of await askBothWays(client, {
      ...saying('Hello', prism),
      n: 2,
      logprobs: true,
      top_logprobs: 2,
    })) {
      expect(answer.choices.map(choice => choice.index)).toEqual([0, 1])
      for (const choice of answer.choices) {
        const tokens = choice.logprobs?.content ?? []
        expect(tokens.map(({ token }) => token).join('')).toBe(choice.message.content)
        expect(tokens[0]?.top_logprobs).toHaveLength(2)
      }
    }
  })

  test('to a prompt that was blocked says so, and the prompt is paid', async () => {
    const client = await aClient(house)
    for (const answer of await askBothWays(client, saying('Hello [[fault: refusal]]', prism))) {
      expect(answer.choices[0]).toMatchObject({
        finish_reason: 'content_filter',
        message: { refusal: 'The vendor blocked the prompt (PROHIBITED_CONTENT).' },
      })
      expect(answer.usage?.completion_tokens).toBe(0)
    }
    expect((await logsOf(client)).every(log => log.status === 200 && log.cost_nanos > 0n)).toBe(true)
  })

  test('may follow a greeting of the assistant', async () => {
    const client = await aClient(house)
    const messages: ChatMessage[] = [
      { role: 'assistant', content: 'Welcome!' },
      { role: 'user', content: 'Hello' },
    ]
    for (const answer of await askBothWays(client, { model: prism, messages }))
      expect(contentOf(answer)).toContain('read "Hello"')
  })
})

describe('images', () => {
  const png = Buffer.from('89504e470d0a1a0a0000', 'hex')
  const imageAt = (url: string): OpenAI.ChatCompletionContentPart => ({
    type: 'image_url',
    image_url: { url },
  })

  async function aMediaServer() {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(request.url ?? '')
      response.statusCode = request.url === '/gone.png' ? 404 : 200
      response.end(png)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    return { url: `http://127.0.0.1:${port}`, asked }
  }

  test('inline and by address are sent inline, each fetched once', async () => {
    const client = await aClient(house)
    const media = await aMediaServer()
    const content = [
      { type: 'text' as const, text: 'Compare these' },
      imageAt('data:image/png;base64,aGk='),
      imageAt(`${media.url}/a.png`),
      imageAt(`${media.url}/a.png`),
    ]
    const asked = { model: prism, messages: [{ role: 'user' as const, content }] }
    for (const answer of await askBothWays(client, asked)) {
      expect(contentOf(answer)).toContain('and saw 3 attached')
      expect(lastBody()).toContain(png.toString('base64'))
    }
    expect(media.asked).toEqual(['/a.png', '/a.png'])
  })

  test('that cannot be had are named, and nothing is charged', async () => {
    const client = await aClient(house)
    const media = await aMediaServer()
    for (const url of [
      `${media.url}/gone.png`,
      'http://8.8.8.8/a.png',
      'https://10.0.0.1/a.png',
      'file:///a.png',
    ]) {
      const messages = [{ role: 'user', content: [imageAt(url)] }]
      for (const stream of [false, true]) {
        const response = await client.post('/chat/completions', { model: prism, messages, stream })
        expect(response.status).toBe(400)
        expect(await response.json()).toMatchObject({
          error: { code: 'invalid_request', param: 'messages[0].content[0].image_url.url' },
        })
      }
    }
    expect(house.simulator.calls).toEqual([])
    expect((await logsOf(client)).every(log => log.cost_nanos === 0n)).toBe(true)
  })
})

describe('tools', () => {
  const tools: OpenAI.ChatCompletionTool[] = ['get_weather', 'get_time'].map(name => ({
    type: 'function',
    function: { name, parameters: { type: 'object', properties: { city: { type: 'string' } } } },
  }))
  const question: ChatMessage[] = [
    { role: 'system', content: 'Use tools.' },
    { role: 'user', content: 'Weather and time, in parallel please' },
  ]

  type Kept = (
    call: OpenAI.ChatCompletionMessageToolCall,
    index: number,
  ) => OpenAI.ChatCompletionMessageToolCall

  /** The history that a client sends back: what it keeps of the calls, and their results in another order. */
  function historyAfter(answer: OpenAI.ChatCompletion, keep: Kept): ChatMessage[] {
    const calls = (answer.choices[0]?.message.tool_calls ?? []).map(keep)
    const results = calls.map(({ id }, index) => ({
      role: 'tool' as const,
      tool_call_id: id,
      content: `result ${index}`,
    }))
    return [...question, { role: 'assistant', content: null, tool_calls: calls }, ...results.reverse()]
  }

  const onlyKnownFields: Kept = call => {
    if (call.type !== 'function') throw new Error('not a function')
    const { name, arguments: args } = call.function
    return { id: call.id, type: 'function', function: { name, arguments: args } }
  }
  const sentinel = 'skip_thought_signature_validator'

  test.each<[string, string, Kept, boolean]>([
    ['that keeps everything', prism, call => call, true],
    ['that drops the fields it does not know', prism, onlyKnownFields, true],
    ['that gives calls ids of its own', prism, (call, index) => ({ ...call, id: `mine-${index}` }), true],
    [
      'that does both',
      prism,
      (call, index) => ({ ...onlyKnownFields(call, index), id: `mine-${index}` }),
      false,
    ],
    ['of a model that does not sign', lite, onlyKnownFields, false],
  ])('go round with a client %s', async (_what, model, keep, isSigned) => {
    const client = await aClient(house)
    for (const asked of await askBothWays(client, { model, messages: question, tools })) {
      expect(asked.choices[0]?.finish_reason).toBe('tool_calls')
      expect(asked.choices[0]?.message.tool_calls).toMatchObject([
        { type: 'function', function: { name: 'get_weather' } },
        { type: 'function', function: { name: 'get_time' } },
      ])
      for (const answer of await askBothWays(client, { model, messages: historyAfter(asked, keep), tools })) {
        expect(contentOf(answer)).toMatch(/result 0.* and .*result 1/)
        expect(lastBody().includes('thoughtSignature')).toBe(model === prism)
        expect(lastBody().includes(sentinel)).toBe(model === prism && !isSigned)
      }
    }
  })

  test('without arguments are called with {}, and only those that may be', async () => {
    const client = await aClient(house)
    const now: OpenAI.ChatCompletionTool = { type: 'function', function: { name: 'now' } }
    const tool_choice = { type: 'function' as const, function: { name: 'now' } }
    for (const answer of await askBothWays(client, {
      ...saying('?', prism),
      tools: [...tools, now],
      tool_choice,
    }))
      expect(answer.choices[0]?.message.tool_calls).toMatchObject([
        { function: { name: 'now', arguments: '{}' } },
      ])
    for (const answer of await askBothWays(client, { ...saying('?', prism), tools, tool_choice: 'none' }))
      expect(answer.choices[0]?.finish_reason).toBe('stop')
  })

  /** What of a message every client sends back: the SDK's helper adds fields of its own. */
  const said = ({ content, tool_calls }: OpenAI.ChatCompletionMessage): ChatMessage => ({
    role: 'assistant',
    content,
    ...(tool_calls && { tool_calls }),
  })

  test('a conversation changes vendor and model at every turn, whole and streamed', async () => {
    const client = await aClient(house)
    for (const stream of [false, true]) {
      const messages: ChatMessage[] = [{ role: 'system', content: 'Use tools.' }]
      const models = [
        'vendor_a/atlas',
        prism,
        'vendor_b/lyric',
        'vendor_c/prism-flash',
        'vendor_a/atlas',
        lite,
        prism,
      ]
      for (const model of models) {
        messages.push({ role: 'user', content: `Weather in parallel? I am at turn ${messages.length}` })
        const asked = (await askBothWays(client, { model, messages, tools }))[stream ? 1 : 0]!
        const { message } = asked.choices[0]!
        const calls = message.tool_calls ?? []
        expect(calls).toHaveLength(2)
        messages.push(
          said(message),
          ...calls.map(call => ({ role: 'tool' as const, tool_call_id: call.id, content: 'x' })),
        )
        const answer = (await askBothWays(client, { model, messages, tools }))[stream ? 1 : 0]!
        expect(contentOf(answer)).toContain('The tools answered')
        messages.push(said(answer.choices[0]!.message))
      }
    }
  })

  test('the vendor changes between the call and its result', async () => {
    const client = await aClient(house)
    const models = ['vendor_a/atlas', prism, 'vendor_b/lyric', 'vendor_c/prism-flash', lite]
    for (const from of models) {
      const [asked] = await askBothWays(client, { model: from, messages: question, tools })
      for (const to of models) {
        const messages = historyAfter(asked!, call => call)
        for (const answer of await askBothWays(client, { model: to, messages, tools }))
          expect(contentOf(answer)).toContain('The tools answered')
      }
    }
  })
})

describe('answers in JSON', () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      city: { type: 'string' },
      degrees: { type: ['integer', 'null'], minimum: -90, maximum: 90 },
    },
    required: ['city', 'degrees'],
    additionalProperties: false,
  }
  const json_schema = { name: 'weather', strict: true, schema }

  test.each<Params['response_format'] & object>([
    { type: 'json_schema', json_schema },
    { type: 'json_object' },
  ])('are as the request wants them: %j', async response_format => {
    const client = await aClient(house)
    for (const model of [prism, lite]) {
      for (const answer of await askBothWays(client, {
        ...saying('Weather as JSON', model),
        response_format,
      })) {
        const expected =
          response_format.type === 'json_schema'
            ? { city: expect.any(String), degrees: expect.any(Number) }
            : expect.any(Object)
        expect(JSON.parse(contentOf(answer))).toEqual(expected)
      }
    }
  })
})

describe('the prompt cache', () => {
  const rules = 'Be brief, be kind, be exact. '.repeat(300)
  const asking = (question: string, more: Partial<Params> = {}): Params => ({
    model: prism,
    messages: [
      { role: 'system', content: rules },
      { role: 'user', content: question },
    ],
    ...more,
  })
  const detailsOf = (answer: OpenAI.ChatCompletion | undefined) => answer?.usage?.prompt_tokens_details

  test('is read at a discount: in usage, in the charge and in its explanation', async () => {
    const client = await aClient(house)
    const first = await client.openai.chat.completions.create(asking('One?'))
    const [second, streamed] = await askBothWays(client, asking('Two?'))
    expect(detailsOf(first)).toBeUndefined()
    const cached = detailsOf(second)?.cached_tokens ?? 0
    expect(cached).toBeGreaterThan(2_000)
    expect(detailsOf(second)).toEqual({ cached_tokens: cached, cache_read_input_tokens: cached })
    expect(detailsOf(streamed)?.cached_tokens).toBeGreaterThanOrEqual(cached)

    const costOf = (answer: OpenAI.ChatCompletion) => {
      const { prompt_tokens = 0, completion_tokens = 0 } = answer.usage ?? {}
      const read = detailsOf(answer)?.cached_tokens ?? 0
      return BigInt((prompt_tokens - read) * 2_000 + read * 200 + completion_tokens * 12_000)
    }
    const logs = await logsOf(client)
    expect(logs.map(log => log.cost_nanos)).toEqual([first, second!, streamed!].map(costOf))
    expect(logs.map(log => [log.cached_tokens, log.cache_creation_tokens])).toEqual([
      [0n, 0n],
      [BigInt(cached), 0n],
      [BigInt(detailsOf(streamed)?.cached_tokens ?? 0), 0n],
    ])
    expect(JSON.stringify(logs[1]?.cost_terms)).toContain('cache_read')
    expect(JSON.stringify(logs[0]?.cost_terms)).not.toContain('cache_read')
  })

  test('its fields stand on the last chunk, and are left out where they are zero', async () => {
    const client = await aClient(house)
    const last = async (question: string) => (await framesOf(client, asking(question))).frames.at(-1)
    expect((await last('One?')).usage).not.toHaveProperty('prompt_tokens_details')
    const read = await last('Two?')
    expect(Object.keys(read.usage.prompt_tokens_details)).toEqual([
      'cached_tokens',
      'cache_read_input_tokens',
    ])
    expect(read.choices[0].finish_reason).toBe('stop')
  })

  const manyTools = Array.from({ length: 30 }, (_, index) => ({
    type: 'function' as const,
    function: { name: `tool_${index}`, description: rules.slice(0, 400) },
  }))
  const user = (content: string): ChatMessage => ({ role: 'user', content })

  test.each<[string, Partial<Params>]>([
    ['a long system', {}],
    ['tools and no system', { messages: [user('Hi')], tools: manyTools }],
    ['tools that none may call', { messages: [user('Hi')], tools: manyTools, tool_choice: 'none' }],
    ['a long question', { messages: [user(rules)] }],
    ['a long history', { messages: [user(rules), { role: 'assistant', content: rules }, user('So?')] }],
    [
      'a long description of one tool',
      { messages: [user('Hi')], tools: [{ type: 'function', function: { name: 'f', description: rules } }] },
    ],
  ])('no two end users and no two accounts share a token, whatever they send: %s', async (_what, sent) => {
    const client = await aClient(house)
    const other = await aClient(house)
    const sameAccount = clientOf(house, await anApiKey(house.context, { accountId: client.accountId }))
    const cachedFor = async ({ openai }: TestClient, more: Partial<Params> = {}) =>
      detailsOf(await openai.chat.completions.create(asking('One?', { ...sent, ...more })))?.cached_tokens ??
      0
    expect(await cachedFor(client, { user: 'ann' })).toBe(0)
    expect(await cachedFor(client, { user: 'bob' })).toBe(0)
    expect(await cachedFor(client, { safety_identifier: 'cem' })).toBe(0)
    expect(await cachedFor(client)).toBe(0)
    expect(await cachedFor(other, { user: 'ann' })).toBe(0)
    expect(await cachedFor(other)).toBe(0)
    expect(await cachedFor(client, { user: 'ann' })).toBeGreaterThan(1_000)
    expect(await cachedFor(sameAccount, { user: 'ann' })).toBeGreaterThan(1_000)
    expect(await cachedFor(client, { user: 'ann', prompt_cache_key: 'x' })).toBeGreaterThan(1_000)
  })
})

describe('a client that leaves', () => {
  test('ends the call of the vendor, and pays for what was produced', async () => {
    const client = await aClient(house)
    house.simulator.change({ chunkDelayMs: 10 })
    const stream = await client.openai.chat.completions.create({
      ...saying('say 500 words', prism),
      stream: true,
    })
    let seen = 0
    for await (const _ of stream) if (++seen === 5) break
    await expect.poll(() => house.simulator.calls.at(-1)).toMatchObject({ aborted: true, finished: false })
    await expect.poll(() => logsOf(client)).toMatchObject([{ status: 499, error_code: 'client_left' }])
    const [log] = await logsOf(client)
    expect(log?.completion_tokens).toBeGreaterThanOrEqual(5n)
    expect(log?.completion_tokens).toBeLessThan(200n)
    expect(log?.cost_nanos).toBe(log?.prompt_tokens * 2_000n + log?.completion_tokens * 12_000n)
  })
})

describe('what fails costs nothing', () => {
  // an answer between two failures, or the breaker opens
  beforeEach(async () => {
    const { openai } = await aClient(house)
    await openai.chat.completions.create(saying('Are you well?', prism))
  })

  test.each([
    ['503', 503, 'upstream_busy'],
    ['429;ms=17000', 503, 'upstream_busy'],
    ['401', 502, 'upstream_auth'],
    ['403', 502, 'upstream_auth'],
    ['404', 502, 'upstream_auth'],
    ['500', 502, 'upstream_error'],
    ['504', 504, 'upstream_timeout'],
    ['400', 400, 'invalid_request'],
    ['too-long', 400, 'context_length_exceeded'],
    ['error-frame;n=0', 503, 'upstream_busy'],
    ['garbage;n=0', 502, 'upstream_error'],
    ['malformed-call', 502, 'upstream_error'],
    ['empty', 502, 'upstream_error'],
  ])('%s', async (fault, status, code) => {
    const client = await aClient(house)
    for (const stream of [false, true]) {
      const asked = { ...saying(`Hello [[fault: ${fault}]]`, prism), stream }
      const response = await client.post('/chat/completions', asked)
      expect([response.status, await response.json()]).toEqual([
        status,
        expect.objectContaining({ error: expect.objectContaining({ code }) }),
      ])
      expect(response.headers.get('retry-after')).toBe(fault.startsWith('429') ? '17' : null)
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
        saying(`say 60 words [[fault: ${fault}]]`, prism),
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

  test('nor does an answer that says nothing', async () => {
    const client = await aClient(house)
    await askBothWays(client, saying('Hello [[fault: blank]]', prism))
    expect((await logsOf(client)).map(log => log.cost_nanos)).toEqual([0n, 0n])
  })

  test.each<[string, object]>([
    ['n', { n: 9 }],
    ['stop', { stop: ['1', '2', '3', '4', '5', '6'] }],
    ['reasoning_effort', { reasoning_effort: 'none' }],
    ['tools[0].function.name', { tools: [{ type: 'function', function: { name: '2fa' } }] }],
    ['messages[0].tool_call_id', { messages: [{ role: 'tool', tool_call_id: 'x', content: 'y' }] }],
    ['messages', { messages: [{ role: 'system', content: 'Be brief.' }] }],
    [
      'response_format',
      {
        model: lite,
        response_format: { type: 'json_object' },
        tools: [{ type: 'function', function: { name: 'f' } }],
      },
    ],
  ])('%s, which the vendor does not take, is named before it is called', async (param, fields) => {
    const client = await aClient(house)
    house.simulator.reset()
    for (const stream of [false, true]) {
      const response = await client.post('/chat/completions', { ...saying('Hi', prism), ...fields, stream })
      expect([response.status, await response.json()]).toEqual([
        400,
        expect.objectContaining({ error: expect.objectContaining({ param }) }),
      ])
    }
    expect(house.simulator.calls).toEqual([])
    expect((await logsOf(client)).every(log => log.cost_nanos === 0n)).toBe(true)
  })
})

describe('with other credentials', () => {
  let account: Record<string, unknown>
  let upstreams: ReturnType<typeof openUpstreams>

  beforeEach(async () => {
    upstreams = openUpstreams(house.config)
    account = JSON.parse(await (await fetch(`${house.simulator.url}/vertex/service-account.json`)).text())
  })
  afterEach(() => upstreams.close())

  async function call(
    request: Partial<ChatRequest>,
    target: { path: string; apiKey?: string; config?: object; id?: string },
  ) {
    const asked = aChatCall({ model: prism, ...request })
    const { path, apiKey = '', config = {}, id = path } = target
    const baseUrl = `${house.simulator.url}${path}`
    const { answer, stream } = await callChat(upstreams, {
      attempts: [
        {
          entry: asked.entry,
          target: { vendor: 'vendor_c', baseUrl, apiKey, byokId: id, config: { ...config } },
        },
      ],
      prepare: async () => asked,
      ended: () => {},
      line: new Line(),
    })
    let text = answer?.completion.choices[0]?.message.content ?? ''
    for (let chunks = await stream?.read(); chunks; chunks = await stream?.read())
      text += chunks.map(chunk => chunk.choices[0]?.delta.content ?? '').join('')
    return { text, message: answer?.completion.choices[0]?.message, usage: answer?.usage ?? stream?.usage }
  }

  const vertex = (config: object = {}, id = 'vertex') => ({
    path: '/vertex',
    config: { service_account: account, region: 'europe-west4', ...config },
    id,
  })

  test('a service account reaches its project, with one token for all', async () => {
    const answers = await Promise.all([false, true, false, true].map(stream => call({ stream }, vertex())))
    for (const { text, usage } of answers) {
      expect(text).toContain('read "Hello"')
      expect(usage?.promptTokens).toBeGreaterThan(0)
    }
    const paths = house.simulator.calls.map(received => received.path)
    expect(paths.filter(path => path === '/vertex/token')).toHaveLength(1)
    expect(paths).toContain(
      '/vertex/v1beta1/projects/sim-project/locations/europe-west4/publishers/google/models/prism-3-pro:generateContent',
    )
  })

  test.each<[string, object, string]>([
    ['another project', { project_id: 'other' }, "Permission 'aiplatform.endpoints.predict' denied"],
    ['an unknown account', { client_email: 'x@y.z' }, 'invalid_grant'],
    [
      "an address for tokens that is not the vendor's",
      { token_uri: 'https://evil.example/token' },
      'token_uri',
    ],
  ])('%s is a refused credential', async (what, changed, message) => {
    const service_account = { ...account, ...changed }
    await expect(call({}, vertex({ service_account }, what))).rejects.toMatchObject({
      kind: 'auth',
      message: expect.stringContaining(message),
    })
  })

  test('a token that the vendor refuses before its time is had anew for the next call', async () => {
    await call({}, vertex())
    house.simulator.reset()
    await expect(call({}, vertex())).rejects.toMatchObject({ kind: 'auth' })
    expect((await call({}, vertex())).text).toContain('read "Hello"')
  })

  test('a bad key, which is a wrong request to this vendor, is a refused credential', async () => {
    await expect(call({}, { path: '/gemini', apiKey: 'sim-bad' })).rejects.toMatchObject({ kind: 'auth' })
  })

  test('a call that one credential made is answered through another: its signature stays behind', async () => {
    const tools = [{ type: 'function', function: { name: 'now' } }]
    const question = { role: 'user' as const, content: 'Time?' }
    const ways = [
      { path: '/gemini', apiKey: 'sim-one', id: 'one' },
      { path: '/gemini', apiKey: 'sim-two', id: 'two' },
      vertex({}, 'three'),
    ]
    for (const from of ways) {
      const { message } = await call({ messages: [question], tools }, from)
      const [made] = message?.tool_calls ?? []
      const result = { role: 'tool' as const, tool_call_id: made!.id, content: 'noon' }
      const messages = [question, { role: 'assistant' as const, content: null, tool_calls: [made!] }, result]
      for (const to of ways) {
        expect((await call({ messages, tools }, to)).text).toContain('noon')
        expect(lastBody().includes('skip_thought_signature_validator')).toBe(from !== to)
      }
    }
  })
})
