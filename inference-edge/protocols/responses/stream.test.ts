import fc from 'fast-check'
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { type ErrorName, Problem } from '../../../schema/errors.ts'
import type { ChatChunk, ChatCompletion, ChunkDelta, FinishReason } from '../../../schema/wire/chat.ts'
import { eventsOf, expectOrder, readEvents } from '../../../test/responses/read-events.ts'
import type { StreamPresenter } from '../protocol.ts'
import { responses } from './protocol.ts'

const identity = { requestId: 'req_0123', startedAt: 1_700_000_000_000 }
const usage = {
  costNanos: 12_345n,
  promptTokens: 9,
  cachedTokens: 4,
  cacheCreationTokens: 2,
  completionTokens: 7,
  reasoningTokens: 3,
}

const start = { model: 'vendor_a/atlas', usage: undefined }

test('a refusal is streamed as a refusal part and completes the response', async () => {
  const text = streamOf([{ refusal: 'I ' }, { refusal: 'will not.' }], 'content_filter')
  const response = expectOrder(readEvents(text))
  expect(response).toMatchObject({
    status: 'completed',
    incomplete_details: null,
    output: [
      { type: 'message', status: 'completed', content: [{ type: 'refusal', refusal: 'I will not.' }] },
    ],
  })
  const parsed = await sdkStreamOf(text).finalResponse()
  expect(parsed.output).toMatchObject(response.output)
})

test('a call that the limit has cut is incomplete, the one before it is not', async () => {
  const first = { index: 0, id: 'call_a', function: { name: 'look', arguments: '{"at":1}' } }
  const second = { index: 1, id: 'call_b', function: { name: 'look', arguments: '{"at":' } }
  const text = streamOf([{ content: 'Let me see' }, { tool_calls: [first, second] }], 'length')
  const { output, incomplete_details } = expectOrder(readEvents(text))
  expect(incomplete_details).toEqual({ reason: 'max_output_tokens' })
  expect(output.map(item => [item.type, item.status, item.id])).toEqual([
    ['message', 'completed', 'msg_0123_0'],
    ['function_call', 'completed', 'fc_0123_1'],
    ['function_call', 'incomplete', 'fc_0123_2'],
  ])
})

test('a call without arguments has an empty object of them, one without id an id', () => {
  const text = streamOf([{ tool_calls: [{ index: 3, function: { name: 'look' } }] }], 'tool_calls')
  const [item] = expectOrder(readEvents(text)).output
  expect(item).toMatchObject({ arguments: '{}', call_id: 'call_0123_0', name: 'look' })
})

test.each<FinishReason>(['stop', 'length', 'content_filter'])(
  'an answer without text or calls (%s) is an empty message',
  async finish => {
    const text = streamOf([{ role: 'assistant', content: '' }], finish)
    const { output } = expectOrder(readEvents(text))
    expect(output).toMatchObject([{ type: 'message', content: [{ type: 'output_text', text: '' }] }])
    expect((await sdkStreamOf(text).finalResponse()).output_text).toBe('')
  },
)

test('only the first of several choices is presented', () => {
  const presenter = open()
  const begun = presenter.begin(start)
  const chunk = chunkOf({ content: 'two' })
  expect(presenter.chunk({ ...chunk, choices: [{ ...chunk.choices[0]!, index: 1 }] })).toBe('')
  const text = begun + presenter.chunk(chunkOf({ content: 'one' }, 'stop')) + presenter.end(usage)
  expect(expectOrder(readEvents(text)).output).toMatchObject([{ content: [{ text: 'one' }] }])
})

test('usage has every detail, the model that answered is named', () => {
  const response = expectOrder(readEvents(streamOf([{ content: 'Hi' }], 'stop')))
  expect(response.model).toBe('vendor_b/other')
  expect(response.usage).toEqual({
    input_tokens: 9,
    input_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 },
    output_tokens: 7,
    output_tokens_details: { reasoning_tokens: 3 },
    total_tokens: 16,
    cost: 0.000012345,
  })
})

test('a stream that breaks ends in an error, flat and nested, then response.failed with the text so far', async () => {
  const presenter = open()
  const call = { index: 0, id: 'call_a', function: { name: 'look', arguments: '{' } }
  const text =
    presenter.begin(start) +
    presenter.chunk(chunkOf({ content: 'Once upon' })) +
    presenter.chunk(chunkOf({ tool_calls: [call] })) +
    presenter.fail(new Problem('upstream_error', { param: 'messages[0].content' }))
  const events = readEvents(text)
  const [error, failed] = events.slice(-2)
  const fields = {
    code: 'upstream_error',
    message: 'The vendor failed to respond. Nothing was charged.',
    param: 'input',
  }
  expect(error).toMatchObject({ type: 'error', ...fields, error: { type: 'upstream_error', ...fields } })
  expect(failed).toMatchObject({
    type: 'response.failed',
    response: {
      status: 'failed',
      error: { code: 'server_error', message: fields.message },
      usage: null,
      output: [{ status: 'incomplete', content: [{ text: 'Once upon' }] }],
    },
  })
  await expect(sdkStreamOf(text).finalResponse()).rejects.toThrow(OpenAI.APIError)
})

const codes: [ErrorName, string][] = [
  ['upstream_error', 'server_error'],
  ['rate_limit_exceeded', 'rate_limit_exceeded'],
  ['insufficient_credits', 'insufficient_quota'],
  ['context_length_exceeded', 'context_length_exceeded'],
  ['content_policy', 'invalid_prompt'],
]
test.each(codes)('%s is %s in a response that failed', (name, code) => {
  const presenter = open()
  const [failed] = eventsOf(
    readEvents(presenter.begin(start) + presenter.fail(new Problem(name))),
    'response.failed',
  )
  expect(failed?.response).toMatchObject({ error: { code }, output: [] })
})

test('keepAlive repeats response.in_progress with the next number, and is empty after the end', () => {
  const presenter = open()
  const text =
    presenter.begin(start) +
    presenter.keepAlive() +
    presenter.chunk(chunkOf({ content: 'Hi' })) +
    presenter.keepAlive() +
    presenter.end(usage)
  const events = readEvents(text)
  expectOrder(events)
  expect(eventsOf(events, 'response.in_progress')).toHaveLength(3)
  for (const { type, response } of [
    ...eventsOf(events, 'response.created'),
    ...eventsOf(events, 'response.in_progress'),
  ])
    expect([type, response.usage]).toEqual([type, null])
  expect(presenter.keepAlive()).toBe('')
})

const tools = [
  { type: 'function', name: 'weather' },
  { type: 'namespace', name: 'maps', tools: [{ type: 'function', name: 'route' }] },
]

const text = fc.string({ unit: 'binary', maxLength: 40 })
const answer = fc.record({
  content: fc.option(text),
  refusal: fc.option(text, { freq: 4 }),
  calls: fc.array(
    fc.record({ name: fc.constantFrom('weather', 'maps__route'), arguments: fc.oneof(fc.json(), text) }),
    { maxLength: 4 },
  ),
  finish: fc.constantFrom('stop', 'tool_calls', 'length', 'content_filter'),
})
type Answer = typeof answer extends fc.Arbitrary<infer Value> ? Value : never

test('however an answer is cut into chunks, the streamed response is the same as the whole one', () => {
  fc.assert(
    fc.property(answer, fc.infiniteStream(fc.nat()), (given, numbers) => {
      const draw = (below: number) => numbers.next().value! % below
      const conversation = responses.read({ model: 'vendor_a/atlas', input: 'Hi', tools })
      const whole = conversation.presentWhole(completionOf(given), usage, identity)

      const presenter = conversation.openPresenter(identity)
      const frames = [presenter.begin(start)]
      for (const chunk of chunksOf(given, draw)) {
        frames.push(presenter.chunk(chunk))
        if (draw(8) === 0) frames.push(presenter.keepAlive())
      }
      frames.push(presenter.end(usage))
      const last = expectOrder(readEvents(frames.join('')))
      const completed_at = expect.any(Number)
      expect({ ...last, completed_at }).toEqual({ ...whole, completed_at })
    }),
    { numRuns: 500 },
  )
})

function open(): StreamPresenter {
  return responses.read({ model: 'vendor_a/atlas', input: 'Hi' }).openPresenter(identity)
}

function streamOf(deltas: ChunkDelta[], finish: FinishReason): string {
  const presenter = open()
  const chunks = [...deltas.map(delta => chunkOf(delta)), chunkOf({}, finish)]
  return presenter.begin(start) + chunks.map(presenter.chunk).join('') + presenter.end(usage)
}

function chunkOf(delta: ChunkDelta, finish_reason: FinishReason | null = null) {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk' as const,
    created: 1,
    model: 'vendor_b/other',
    choices: [{ index: 0, delta, finish_reason }],
  }
}

/** The stream as the strictest parser of the SDK reads it. */
function sdkStreamOf(streamText: string) {
  const openai = new OpenAI({
    apiKey: 'none',
    fetch: async () => new Response(streamText, { headers: { 'content-type': 'text/event-stream' } }),
  })
  return openai.responses.stream({ model: 'vendor_a/atlas', input: 'Hi' })
}

function completionOf({ content, refusal, calls, finish }: Answer): ChatCompletion {
  const tool_calls = calls.map((call, index) => ({
    id: `call_${index}`,
    type: 'function' as const,
    function: call,
  }))
  const message = { role: 'assistant' as const, content, refusal, tool_calls }
  const choice = { index: 0, message, logprobs: null, finish_reason: finish }
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'vendor_b/other',
    choices: [choice],
  }
}

function chunksOf({ content, refusal, calls, finish }: Answer, draw: (below: number) => number): ChatChunk[] {
  const texts: ChunkDelta[] = [
    ...cut(content ?? '', draw).map(piece => ({ content: piece })),
    ...cut(refusal ?? '', draw).map(piece => ({ refusal: piece })),
  ]
  const calling = calls.map(({ name, arguments: args }, index): ChunkDelta[] => {
    const [first = '', ...rest] = cut(args, draw)
    return [
      {
        tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: first } }],
      },
      ...rest.map(piece => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]
  })
  const deltas = interleave([texts, ...calling], draw)
  const chunks = deltas.map(delta => chunkOf(delta))
  const isLate = draw(2) === 0 || chunks.length === 0
  if (isLate) return [...chunks, chunkOf({}, finish)]
  return [...chunks.slice(0, -1), chunkOf(deltas.at(-1)!, finish)]
}

/** A text in pieces of one to five UTF-16 units, some of them empty: surrogate pairs are split too. */
function cut(whole: string, draw: (below: number) => number): string[] {
  const pieces: string[] = []
  for (let at = 0; at < whole.length; ) {
    const size = draw(6)
    pieces.push(whole.slice(at, at + size))
    at += size
  }
  return pieces
}

/** Merges the lists at random, each in its own order. */
function interleave<Item>(lists: Item[][], draw: (below: number) => number): Item[] {
  const left = lists.map(list => [...list]).filter(list => list.length > 0)
  const mixed: Item[] = []
  while (left.length > 0) {
    const position = draw(left.length)
    mixed.push(left[position]!.shift()!)
    if (left[position]!.length === 0) left.splice(position, 1)
  }
  return mixed
}
