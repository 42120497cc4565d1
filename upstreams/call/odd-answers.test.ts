import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { endsMeaningfully, readProduced } from '../../inference-edge/chat/read-produced.ts'
import { chatCompletions } from '../../inference-edge/protocols/chat-completions.ts'
import { messages } from '../../inference-edge/protocols/messages/protocol.ts'
import { responses } from '../../inference-edge/protocols/responses/protocol.ts'
import type { ChatFormat as WireName } from '../../schema/catalog/vendor.ts'
import { wholeChunk } from '../../schema/wire/text-chunk.ts'
import { aChatCall } from '../../test/harness/a-chat-call.ts'
import type { Target } from '../targets.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import { adapterOf } from './adapters.ts'

const textOnly = { add: (text: unknown) => expect(text).toBeTypeOf('string') }

const cached = { cachedTokens: 0, cacheCreationTokens: 0 }
const usage = { costNanos: 0n, promptTokens: 1, ...cached, completionTokens: 1, reasoningTokens: 0 }
const identity = { requestId: 'req_1', startedAt: 1 }

const toolCall = { id: 'a', type: 'function', function: { name: 'now', arguments: '{}' } }
const custom = { id: 'b', type: 'custom', custom: { name: 'grep', input: 'x' } }
const blocked = { blockReason: 'SAFETY', blockReasonMessage: 'x' }
const tokens = { promptTokenCount: 1, candidatesTokenCount: 1, thoughtsTokenCount: 1 }
const part = (call: object) => ({
  functionCall: { name: 'now', args: {}, ...call },
  thoughtSignature: 'c2ln',
})
const likely = { token: 'Hi', logProbability: -1 }

/** A sound answer of each wire format with everything in it that the system reads, whole and as a stream. */
const formats: Record<WireName, { model: string; whole: object; stream: object[] }> = {
  'openai-chat': {
    model: 'vendor_a/atlas',
    whole: {
      id: 'c',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'Hi',
            refusal: 'No',
            tool_calls: [toolCall, custom],
            function_call: toolCall.function,
            audio: { transcript: 'Hi', data: 'QUJD' },
          },
          finish_reason: 'stop',
          content_filter_results: {},
        },
      ],
      usage: {
        prompt_tokens: 1,
        completion_tokens: 1,
        prompt_tokens_details: { cached_tokens: 1 },
        completion_tokens_details: { reasoning_tokens: 1 },
      },
    },
    stream: [
      { id: 'c', choices: [{ index: 0, delta: { content: 'Hi', refusal: 'No' }, finish_reason: null }] },
      {
        id: 'c',
        choices: [{ delta: { tool_calls: [{ index: 0, ...toolCall }] }, finish_reason: 'tool_calls' }],
      },
      { id: 'c', choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, prompt_tokens_details: {} } },
    ],
  },
  'anthropic-messages': {
    model: 'vendor_b/lyric',
    whole: {
      id: 'm',
      type: 'message',
      content: [
        { type: 'text', text: 'Hi' },
        { type: 'tool_use', id: 'a', name: 'now', input: {} },
      ],
      stop_reason: 'refusal',
      stop_details: { category: 'bio', explanation: 'No.' },
      usage: {
        input_tokens: 1,
        output_tokens: 1,
        cache_read_input_tokens: 1,
        cache_creation_input_tokens: 1,
        output_tokens_details: { thinking_tokens: 1 },
      },
    },
    stream: [
      {
        type: 'message_start',
        message: { id: 'm', usage: { input_tokens: 1, cache_read_input_tokens: 1, output_tokens: 1 } },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'H' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'i' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 'a', name: 'now' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{}' } },
      { type: 'content_block_stop', index: 1 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'refusal', stop_details: { category: 'bio', explanation: null } },
        usage: { output_tokens: 2, cache_creation_input_tokens: 1 },
      },
      { type: 'message_stop' },
    ],
  },
  gemini: {
    model: 'vendor_c/prism-pro',
    whole: {
      candidates: [
        {
          index: 0,
          content: { parts: [{ text: 'Hi' }, part({ id: 'f' })] },
          finishReason: 'STOP',
          finishMessage: 'x',
          logprobsResult: { chosenCandidates: [likely], topCandidates: [{ candidates: [likely] }] },
        },
      ],
      promptFeedback: blocked,
      usageMetadata: { ...tokens, toolUsePromptTokenCount: 1, cachedContentTokenCount: 1 },
      responseId: 'r',
    },
    stream: [
      {
        candidates: [{ index: 0, content: { parts: [{ text: 'Hi' }] } }],
        usageMetadata: tokens,
        responseId: 'r',
      },
      { candidates: [{ content: { parts: [part({})] }, finishReason: 'OTHER', finishMessage: 'x' }] },
      { promptFeedback: blocked },
    ],
  },
}

const names: WireName[] = ['openai-chat', 'anthropic-messages', 'gemini']
const ours: Target = { vendor: 'v', baseUrl: 'https://a.b', apiKey: 'k' }
const azure: Target = { ...ours, byokId: 'own', config: { endpoint: 'https://a.b' } }

/** Reads a whole answer and does with it all that the system does before the client has it. */
function readWhole(name: WireName, body: unknown, target = ours): void {
  const { model } = formats[name]
  const call = aChatCall({ model })
  const answer = adapterOf(call.entry, target).readAnswer(Buffer.from(JSON.stringify(body)), call, target)
  readProduced(answer.completion, textOnly, textOnly)
  endsMeaningfully(answer.completion)
  const request = { model, messages: [{ role: 'user', content: 'Hi' }] }
  const used = { ...usage, ...answer.usage }
  for (const asked of [
    chatCompletions.read(request),
    messages.read(request),
    responses.read({ model, input: 'Hi' }),
  ])
    JSON.stringify(asked.presentWhole(answer.completion, used, identity))
}

/** The same of a stream. */
function readStream(name: WireName, events: unknown[], target = ours): void {
  const { model } = formats[name]
  const call = aChatCall({ model, stream: true })
  const translator = adapterOf(call.entry, target).openTranslator(call, target)
  const presenters = [
    chatCompletions.read({ model, messages: [{ role: 'user', content: 'Hi' }], stream: true }),
    responses.read({ model, input: 'Hi', stream: true }),
    messages.read({ model, messages: [{ role: 'user', content: 'Hi' }], stream: true }),
  ].map(conversation => conversation.openPresenter(identity))
  for (const presenter of presenters) presenter.begin({ model, usage: translator.usage })
  const present = (chunks: ReturnType<typeof translator.read>) => {
    for (const chunk of chunks) {
      readProduced(wholeChunk(chunk), textOnly, textOnly)
      endsMeaningfully(wholeChunk(chunk))
      for (const presenter of presenters) presenter.chunk(structuredClone(wholeChunk(chunk)))
    }
  }
  for (const event of events) {
    present(translator.read({ event: undefined, data: `${JSON.stringify(event)}` }))
    void translator.usage
  }
  present(translator.end())
  for (const presenter of presenters) presenter.end({ ...usage, ...translator.usage })
}

/** Undefined where it was read, the failure where it was none; whatever else is thrown is thrown. */
function outcomeOf(read: () => void): UpstreamFailure | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    if (error instanceof UpstreamFailure) return error
    throw error
  }
}

/**
 * Values that a vendor may send anywhere. An object whose `toString` is not a function cannot even be printed.
 */
const unprintable = { toString: 5 }
const oddities: unknown[] = [
  null,
  5,
  -1.5,
  true,
  '',
  'text',
  [],
  [null],
  [[]],
  {},
  unprintable,
  [unprintable],
]

/** A value with each of its places, one at a time, taken by each oddity, and left out. */
function* spoilt(value: unknown): Iterable<unknown> {
  for (const odd of oddities) yield odd
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    const put = (other: unknown) =>
      Array.isArray(value) ? value.with(Number(name), other) : { ...value, [name]: other }
    for (const other of spoilt(inner)) yield put(other)
    yield put(undefined)
  }
}

describe.each(names)('%s: an answer of any shape is an answer, or a failure of the vendor', name => {
  const { whole, stream } = formats[name]

  test('a sound one is read', () => {
    expect(outcomeOf(() => readWhole(name, whole))).toBeUndefined()
    expect(outcomeOf(() => readStream(name, stream))).toBeUndefined()
  })

  test('with one thing wrong in it, wherever', () => {
    for (const target of [ours, azure]) {
      for (const body of spoilt(whole)) outcomeOf(() => readWhole(name, body, target))
      for (const events of spoilt(stream))
        if (Array.isArray(events)) outcomeOf(() => readStream(name, events, target))
    }
  })

  test('of any JSON', () => {
    fc.assert(fc.property(fc.jsonValue(), body => void outcomeOf(() => readWhole(name, body))))
    fc.assert(fc.property(fc.array(fc.jsonValue()), events => void outcomeOf(() => readStream(name, events))))
  })
})

test.each([
  [{ choices: [null] }],
  [{ choices: [{ index: 0, finish_reason: 'length' }] }],
  [{ choices: [{ index: 0, message: { content: 5 }, finish_reason: 'stop' }] }],
  [{ choices: [{ index: 0, message: { content: null, tool_calls: [null] } }] }],
  [{ choices: 5 }],
  [{ choices: [] }],
  [[]],
])('vendor_a: %j is no answer', body => {
  expect(outcomeOf(() => readWhole('openai-chat', body))).toMatchObject({ kind: 'broken' })
})

test.each([
  [{ choices: [null] }],
  [{ choices: [{ index: 0, delta: 'Hi' }] }],
  [{ choices: [{ index: 0, delta: { content: ['Hi'] } }] }],
  [{ choices: [{ index: 0, delta: { tool_calls: [null] } }] }],
  [[]],
])('vendor_a: %j is no chunk', chunk => {
  expect(outcomeOf(() => readStream('openai-chat', [chunk]))).toMatchObject({ kind: 'broken' })
})
