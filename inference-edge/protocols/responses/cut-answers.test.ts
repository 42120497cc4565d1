import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ChatChunk, ChatCompletion, ChunkDelta, FinishReason } from '../../../schema/wire/chat.ts'
import { expectOrder, readEvents } from '../../../test/responses/read-events.ts'
import { responses } from './protocol.ts'

const identity = { requestId: 'req_0123', startedAt: 1_700_000_000_000 }
const usage = {
  promptTokens: 9,
  cachedTokens: 4,
  cacheCreationTokens: 2,
  completionTokens: 7,
  reasoningTokens: 3,
}
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

test('any way of cutting an answer into chunks tells the same response as the whole answer', () => {
  fc.assert(
    fc.property(answer, fc.infiniteStream(fc.nat()), (given, numbers) => {
      const draw = (below: number) => numbers.next().value! % below
      const conversation = responses.read({ model: 'vendor_a/atlas', input: 'Hi', tools })
      const whole = conversation.presentWhole(completionOf(given), usage, identity)

      const presenter = conversation.openPresenter(identity)
      const frames = [presenter.begin({ model: 'vendor_a/atlas', usage: undefined })]
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

const base = { id: 'chatcmpl-1', created: 1, model: 'vendor_a/atlas' }

function completionOf({ content, refusal, calls, finish }: Answer): ChatCompletion {
  const tool_calls = calls.map((call, index) => ({
    id: `call_${index}`,
    type: 'function' as const,
    function: call,
  }))
  const message = { role: 'assistant' as const, content, refusal, tool_calls }
  const choice = { index: 0, message, logprobs: null, finish_reason: finish }
  return { ...base, object: 'chat.completion', choices: [choice] }
}

function chunksOf({ content, refusal, calls, finish }: Answer, draw: (below: number) => number): ChatChunk[] {
  const said: ChunkDelta[] = [
    ...cut(content ?? '', draw).map(piece => ({ content: piece })),
    ...cut(refusal ?? '', draw).map(piece => ({ refusal: piece })),
  ]
  const called = calls.map(({ name, arguments: text }, index): ChunkDelta[] => {
    const [first = '', ...rest] = cut(text, draw)
    return [
      {
        tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: first } }],
      },
      ...rest.map(piece => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]
  })
  const deltas = byTurns([said, ...called], draw)
  const chunks = deltas.map(delta => chunkOf(delta))
  const isLate = draw(2) === 0 || chunks.length === 0
  if (isLate) return [...chunks, chunkOf({}, finish)]
  return [...chunks.slice(0, -1), chunkOf(deltas.at(-1)!, finish)]
}

function chunkOf(delta: ChunkDelta, finish: FinishReason | null = null): ChatChunk {
  return { ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] }
}

/** A text in pieces of one to five UTF-16 units, some of them empty: characters come apart too. */
function cut(text: string, draw: (below: number) => number): string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; ) {
    const size = draw(6)
    pieces.push(text.slice(at, at + size))
    at += size
  }
  return pieces
}

/** The lists by turns, each in its own order. */
function byTurns<Item>(lists: Item[][], draw: (below: number) => number): Item[] {
  const left = lists.map(list => [...list]).filter(list => list.length > 0)
  const mixed: Item[] = []
  while (left.length > 0) {
    const position = draw(left.length)
    mixed.push(left[position]!.shift()!)
    if (left[position]!.length === 0) left.splice(position, 1)
  }
  return mixed
}
