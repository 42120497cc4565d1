import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
import { wholeChunk } from '../../../schema/wire/text-chunk.ts'
import { aChatCall } from '../../../test/harness/a-chat-call.ts'
import { thrownBy } from '../../../test/harness/a-refusal.ts'
import { openSseReader } from '../../http/sse-reader.ts'
import { UpstreamFailure } from '../../upstream-failure.ts'
import { openTranslator } from './stream.ts'

const model = 'vendor_b/lyric'
const cached = { cache_read_input_tokens: 30, cache_creation_input_tokens: 200 }
const start = {
  type: 'message_start',
  message: { id: 'msg_1', usage: { input_tokens: 5, output_tokens: 1, ...cached } },
}
const blockStart = (index: number, content_block: object) => ({
  type: 'content_block_start',
  index,
  content_block,
})
const textStart = (index: number) => blockStart(index, { type: 'text', text: '' })
const callStart = (index: number, id: string, name = 'now') =>
  blockStart(index, { type: 'tool_use', id, name, input: {} })
const delta = (index: number, inner: object) => ({ type: 'content_block_delta', index, delta: inner })
const say = (index: number, text: string) => delta(index, { type: 'text_delta', text })
const give = (index: number, partial_json: string) => delta(index, { type: 'input_json_delta', partial_json })
const stop = (index: number) => ({ type: 'content_block_stop', index })
const end = (stop_reason: string, more: object = {}) => ({
  type: 'message_delta',
  delta: { stop_reason, stop_sequence: null, ...more },
  usage: { output_tokens: 12, input_tokens: null, output_tokens_details: { thinking_tokens: 4 } },
})
const over = { type: 'message_stop' }
const ended = (stop_reason: string, more?: object) => [end(stop_reason, more), over]

/** Reads events to their end. */
function read(events: object[], request: Partial<ChatRequest> = {}) {
  const translator = openTranslator(aChatCall({ model, stream: true, ...request }))
  const chunks = events.flatMap(event => translator.read({ event: undefined, data: JSON.stringify(event) }))
  const owed = translator.end()
  return { chunks: [...chunks, ...owed].map(wholeChunk), usage: translator.usage }
}

const deltasOf = (events: object[], request?: Partial<ChatRequest>) =>
  read(events, request).chunks.map(({ choices: [choice] }) => [choice?.delta, choice?.finish_reason])

const opening = [{ role: 'assistant', content: '', refusal: null }, null]

describe('a streamed answer', () => {
  it('is text under the requested name of the model', () => {
    const { chunks } = read([start, textStart(0), say(0, 'Hel'), say(0, 'lo'), stop(0), ...ended('end_turn')])
    expect(chunks[0]).toMatchObject({ id: 'msg_1', object: 'chat.completion.chunk', model })
    expect(chunks.map(chunk => chunk.choices[0]?.delta.content ?? '').join('')).toBe('Hello')
    expect(chunks.at(-1)?.choices).toEqual([{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }])
  })

  it('is final with the event that ends the answer, and until then that of the first event', () => {
    const translator = openTranslator(aChatCall({ model, stream: true }))
    const push = (event: object) => translator.read({ event: undefined, data: JSON.stringify(event) })
    expect(translator.usage).toBeUndefined()
    push(start)
    expect(translator.usage).toMatchObject({ promptTokens: 235, completionTokens: 1 })
    push(say(0, 'x'.repeat(400)))
    push(callStart(1, 'a', 'ab'))
    push(give(1, '{"a":1}'))
    expect(translator.usage).toMatchObject({ promptTokens: 235, completionTokens: 1 })
    expect(translator).toMatchObject({ isFinished: false, isOver: false, isUsageFinal: false })
    push(end('end_turn'))
    expect(translator.usage).toMatchObject({ promptTokens: 235, completionTokens: 12 })
    expect(translator).toMatchObject({ isFinished: true, isOver: true, isUsageFinal: true })
  })

  it('pings, citations and events that nobody knows say nothing; thoughts are shown beside the answer', () => {
    const events = [
      start,
      { type: 'ping' },
      blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'Hm.' }),
      delta(0, { type: 'signature_delta', signature: 's' }),
      stop(0),
      blockStart(1, { type: 'server_tool_use', id: 'x', name: 'web_search' }),
      give(1, '{}'),
      stop(1),
      { type: 'something_new', data: 5 },
      delta(2, { type: 'new_delta', text: 'x' }),
      ...ended('end_turn'),
    ]
    const thinking = { index: 0, type: 'thinking', thinking: 'Hm.' }
    expect(deltasOf(events)).toEqual([
      opening,
      [{ reasoning_content: 'Hm.', thinking_blocks: [thinking] }, null],
      [{ thinking_blocks: [{ index: 0, type: 'thinking', signature: 's' }] }, null],
      [{}, 'stop'],
    ])
  })

  it('names the sequence that stopped it', () => {
    const { chunks } = read([start, say(0, 'So.'), ...ended('stop_sequence', { stop_sequence: 'END' })])
    expect(chunks.at(-1)?.choices[0]).toMatchObject({ finish_reason: 'stop', stop_sequence: 'END' })
  })
})

describe('calls while streaming', () => {
  it('count from 0 whatever stands before them, also interleaved', () => {
    const events = [
      ...[start, textStart(0), say(0, 'So.'), stop(0)],
      ...[callStart(1, 'a'), give(1, ''), callStart(2, 'b'), give(2, '{"b"')],
      ...[give(1, '{"a":1}'), give(2, ':2}')],
      ...[stop(1), stop(2), end('tool_use'), over],
    ]
    const call = (index: number, id: string) => ({
      tool_calls: [{ index, id, type: 'function', function: { name: 'now', arguments: '' } }],
    })
    const piece = (index: number, text: string) => ({
      tool_calls: [{ index, function: { arguments: text } }],
    })
    expect(deltasOf(events)).toEqual([
      opening,
      [{ content: 'So.' }, null],
      [call(0, 'a'), null],
      [call(1, 'b'), null],
      [piece(1, '{"b"'), null],
      [piece(0, '{"a":1}'), null],
      [piece(1, ':2}'), null],
      [{}, 'tool_calls'],
    ])
  })

  it.each([[[]], [['']], [['', '']]])('without arguments (%j) they are {}', slices => {
    const given = slices.map(slice => give(0, slice))
    const deltas = deltasOf([start, callStart(0, 'a'), ...given, stop(0), ...ended('tool_use')])
    expect(deltas.at(-2)).toEqual([{ tool_calls: [{ index: 0, function: { arguments: '{}' } }] }, null])
  })
})

it('an answer given by a tool is text, and ends as text does', () => {
  const response_format = { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } }
  const given = [callStart(0, 'a', 'give_answer'), give(0, '{"a"'), give(0, ':1}'), stop(0)]
  const events = [start, ...given, ...ended('tool_use')]
  expect(deltasOf(events, { model: 'vendor_b/lyric-classic', response_format })).toEqual([
    opening,
    [{ content: '{"a"' }, null],
    [{ content: ':1}' }, null],
    [{}, 'stop'],
  ])
})

it('refusals: end with content_filter, with the explanation of the vendor where there is one', () => {
  const because = (stop_details: unknown) => deltasOf([start, end('refusal', { stop_details }), over])
  expect(because({ type: 'refusal', category: 'bio', explanation: 'No.' })).toEqual([
    opening,
    [{ refusal: 'No.' }, null],
    [{}, 'content_filter'],
  ])
  const [, unexplained] = because({ type: 'refusal', category: 'bio', explanation: null })
  expect(unexplained).toEqual([{ refusal: 'The model refused: bio.' }, null])
  expect(because(null)).toEqual([opening, [{}, 'content_filter']])
})

it('halves of characters of a surrogate pair in two deltas are whole again for who joins them', () => {
  const [high = '', low = ''] = '\u{1f600}'.split('')
  const { chunks } = read([start, say(0, high), say(0, low), end('end_turn'), over])
  const frames = chunks.map(chunk => JSON.parse(Buffer.from(JSON.stringify(chunk)).toString()))
  expect(frames.map(frame => frame.choices[0].delta.content ?? '').join('')).toBe('\u{1f600}')
})

describe('a stream that fails', () => {
  it.each([
    ['overloaded_error', 'busy'],
    ['rate_limit_error', 'busy'],
    ['timeout_error', 'timeout'],
    ['invalid_request_error', 'request'],
    ['authentication_error', 'auth'],
    ['api_error', 'broken'],
    ['another_error', 'broken'],
  ])('with %s is %s', (type, kind) => {
    const error = { type: 'error', error: { type, message: 'Why.' } }
    expect(thrownBy(() => read([start, error]))).toMatchObject({ kind, details: { message: 'Why.' } })
  })

  it.each([
    ['cut in the middle', [start, say(0, 'a')]],
    ['empty', []],
    ['of another shape', [start, { type: 'content_block_delta', index: 0 }]],
  ])('%s is broken', (_what, events) => {
    expect(thrownBy(() => read(events))).toMatchObject({ kind: 'broken' })
  })

  it('what is no JSON is broken', () => {
    const translator = openTranslator(aChatCall({ model, stream: true }))
    const thrown = thrownBy(() => translator.read({ event: 'ping', data: '{"type":' }))
    expect(thrown).toMatchObject({ kind: 'broken' })
  })
})

describe('any stream', () => {
  const events = [
    ...[start, { type: 'ping' }, textStart(0), say(0, 'Grüße 👋🏽 '), say(0, 'a\nb'), stop(0)],
    ...[callStart(1, 'a'), give(1, ''), give(1, '{"ü":"👋"}'), stop(1), end('tool_use'), over],
  ]
  const bytes = Buffer.from(
    events.map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
  )

  it('however it is cut into reads, gives the same chunks', () => {
    const whole = read(events)
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length)), places => {
        const cuts = [0, ...places.sort((a, b) => a - b), bytes.length]
        const reader = openSseReader()
        const translator = openTranslator(aChatCall({ model, stream: true }))
        const chunks = cuts
          .slice(1)
          .flatMap((cut, index) => reader.push(bytes.subarray(cuts[index], cut)))
          .flatMap(event => translator.read(event))
          .map(wholeChunk)
        translator.end()
        const timeless = ({ created: _, ...chunk }: { created: number }) => chunk
        expect(chunks.map(timeless)).toEqual(whole.chunks.map(timeless))
        expect(translator.usage).toEqual(whole.usage)
      }),
    )
  })

  it('of any events gives chunks, or fails as a vendor does', () => {
    const types = events.map(event => event.type)
    const anEvent = fc.record({
      type: fc.oneof(fc.constantFrom(...types, 'error'), fc.string()),
      index: fc.option(fc.nat(3)),
      ...{
        message: fc.jsonValue(),
        content_block: fc.jsonValue(),
        delta: fc.jsonValue(),
        usage: fc.jsonValue(),
      },
    })
    fc.assert(
      fc.property(fc.array(anEvent), strange => {
        try {
          read(strange)
        } catch (error) {
          expect(error).toBeInstanceOf(UpstreamFailure)
        }
      }),
    )
  })
})
