import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { type ErrorName, Problem } from '../../../../schema/errors.ts'
import type { ChunkDelta, FinishReason } from '../../../../schema/wire/chat.ts'
import { eventsOf, expectOrder, readEvents } from '../../../../test/responses/read-events.ts'
import type { StreamPresenter } from '../../protocol.ts'
import { responses } from '../protocol.ts'

const identity = { requestId: 'req_0123', startedAt: 1_700_000_000_000 }
const usage = {
  promptTokens: 9,
  cachedTokens: 4,
  cacheCreationTokens: 2,
  completionTokens: 7,
  reasoningTokens: 3,
}

const beginning = { model: 'vendor_a/atlas', usage: undefined }

test('a refusal is told as one, to the end', async () => {
  const text = streamOf([{ refusal: 'I ' }, { refusal: 'will not.' }], 'content_filter')
  const response = expectOrder(readEvents(text))
  expect(response).toMatchObject({
    status: 'completed',
    incomplete_details: null,
    output: [
      { type: 'message', status: 'completed', content: [{ type: 'refusal', refusal: 'I will not.' }] },
    ],
  })
  const heard = await helperOf(text).finalResponse()
  expect(heard.output).toMatchObject(response.output)
})

test('a call that the limit cut is incomplete, the one before it is not', async () => {
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
  'an answer that says nothing (%s) is an empty message',
  async finish => {
    const text = streamOf([{ role: 'assistant', content: '' }], finish)
    const { output } = expectOrder(readEvents(text))
    expect(output).toMatchObject([{ type: 'message', content: [{ type: 'output_text', text: '' }] }])
    expect((await helperOf(text).finalResponse()).output_text).toBe('')
  },
)

test('only the first of several choices is told', () => {
  const presenter = open()
  const begun = presenter.begin(beginning)
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
  })
})

test('a stream that breaks has an error, flat and nested, then response.failed with what was said', async () => {
  const presenter = open()
  const call = { index: 0, id: 'call_a', function: { name: 'look', arguments: '{' } }
  const text =
    presenter.begin(beginning) +
    presenter.chunk(chunkOf({ content: 'Once upon' })) +
    presenter.chunk(chunkOf({ tool_calls: [call] })) +
    presenter.fail(new Problem('upstream_error', { param: 'messages[0].content' }))
  const events = readEvents(text)
  const [error, failed] = events.slice(-2)
  const told = {
    code: 'upstream_error',
    message: 'The vendor failed to answer. Nothing was charged.',
    param: 'input',
  }
  expect(error).toMatchObject({ type: 'error', ...told, error: { type: 'upstream_error', ...told } })
  expect(failed).toMatchObject({
    type: 'response.failed',
    response: {
      status: 'failed',
      error: { code: 'server_error', message: told.message },
      usage: null,
      output: [{ status: 'incomplete', content: [{ text: 'Once upon' }] }],
    },
  })
  await expect(helperOf(text).finalResponse()).rejects.toThrow(OpenAI.APIError)
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
    readEvents(presenter.begin(beginning) + presenter.fail(new Problem(name))),
    'response.failed',
  )
  expect(failed?.response).toMatchObject({ error: { code }, output: [] })
})

test('silence is filled with the response in progress, numbered on, and with nothing after the end', () => {
  const presenter = open()
  const text =
    presenter.begin(beginning) +
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

function open(): StreamPresenter {
  return responses.read({ model: 'vendor_a/atlas', input: 'Hi' }).openPresenter(identity)
}

function streamOf(deltas: ChunkDelta[], finish: FinishReason): string {
  const presenter = open()
  const chunks = [...deltas.map(delta => chunkOf(delta)), chunkOf({}, finish)]
  return presenter.begin(beginning) + chunks.map(presenter.chunk).join('') + presenter.end(usage)
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

/** The SDK's strictest reader on a stream. */
function helperOf(text: string) {
  const openai = new OpenAI({
    apiKey: 'none',
    fetch: async () => new Response(text, { headers: { 'content-type': 'text/event-stream' } }),
  })
  return openai.responses.stream({ model: 'vendor_a/atlas', input: 'Hi' })
}
