import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openPresenter } from '../../../inference-edge/protocols/chat-completions.ts'
import { type StreamedChunk, TextChunk, wholeChunk } from '../../../schema/wire/text-chunk.ts'
import { aChatCall } from '../../../test/harness/a-chat-call.ts'
import type { ChatTranslator } from '../../chat-adapter.ts'
import { openTranslator as openEventTranslator } from '../anthropic-messages/stream.ts'
import { openTranslator as openChunkTranslator } from '../openai-chat/stream.ts'

const literals = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme' }).map(text => JSON.stringify(text)) },
  fc.constantFrom(
    '"\\u00e9"',
    '"\\ud83d"',
    '"a\\nb"',
    '""',
    ' "x" ',
    'null',
    '7',
    '"a","b":"c"',
    '"a\\"',
    '"a',
  ),
)

/** Events of vendor_a: most are alike, and any may differ in anything. */
const chunkEvents = fc
  .record({
    text: literals,
    id: fc.oneof({ weight: 5, arbitrary: fc.constant('c1') }, fc.constant('c2')),
    delta: usually('', ',"refusal":null', ',"refusal":"no"', ',"role":"assistant"', ',"content":"again"'),
    choice: usually('', ',"finish_reason":null', ',"finish_reason":"stop"', ',"logprobs":{"content":[]}'),
    others: usually('', ',{"index":1,"delta":{"content":"x"}}'),
    more: usually('', ',"usage":null', ',"usage":{"prompt_tokens":1,"completion_tokens":2}', ',"error":{}'),
    padding: fc.constantFrom('', '', ',"obfuscation":""', ',"obfuscation":"aB3"', ',"obfuscation":"\\""'),
  })
  .map(
    ({ text, id, delta, choice, others, more, padding }) =>
      `{"id":"${id}","choices":[{"index":0,"delta":{"content":${text}${delta}}${choice}}${others}]${more}${padding}}`,
  )

/** Events of vendor_b likewise. */
const textEvents = fc
  .record({
    text: literals,
    index: usually('0', '1'),
    type: usually('text_delta', 'thinking_delta', 'input_json_delta'),
    more: usually('', ',"text":"again"', ',"thinking":"hm"'),
  })
  .map(
    ({ text, index, type, more }) =>
      `{"type":"content_block_delta","index":${index},"delta":{"type":"${type}","text":${text}${more}}}`,
  )

test.each([
  ['vendor_a', 'vendor_a/atlas', openChunkTranslator, chunkEvents],
  ['vendor_b', 'vendor_b/lyric', openEventTranslator, textEvents],
] as const)(
  'any events of %s are translated and presented as if each were parsed',
  (_, model, open, events) => {
    const call = aChatCall({ model, stream: true })
    let texts = 0
    fc.assert(
      fc.property(fc.array(events, { maxLength: 20 }), fc.boolean(), (stream, includeUsage) => {
        const translator = open(call)
        for (const data of stream) {
          expect(timeless(outcomeOf(translator, data))).toEqual(timeless(outcomeOf(open(call), data)))
        }
        const presented = open(call)
        const openOne = () => openPresenter({ requestId: 'req_1', startedAt: 0 }, { includeUsage })
        const presenter = openOne()
        for (const chunk of stream.flatMap(data => chunksOf(presented, data))) {
          if (chunk instanceof TextChunk) texts += 1
          const whole = structuredClone(wholeChunk(chunk))
          expect(presenter.chunk(chunk)).toBe(openOne().chunk(whole))
        }
      }),
      { numRuns: 300 },
    )
    expect(texts).toBeGreaterThan(100)
  },
)

/** One of these texts, the first of them mostly. */
function usually(first: string, ...others: string[]) {
  return fc.oneof({ weight: 12, arbitrary: fc.constant(first) }, fc.constantFrom(...others))
}

function outcomeOf(translator: ChatTranslator, data: string): StreamedChunk[] | string {
  try {
    return translator.read({ event: undefined, data })
  } catch (error) {
    return String(error)
  }
}

function chunksOf(translator: ChatTranslator, data: string): StreamedChunk[] {
  const outcome = outcomeOf(translator, data)
  return Array.isArray(outcome) ? outcome : []
}

function timeless(chunks: StreamedChunk[] | string): unknown {
  return Array.isArray(chunks) ? chunks.map(chunk => ({ ...wholeChunk(chunk), created: 0 })) : chunks
}
