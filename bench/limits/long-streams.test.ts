import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { openTranscript } from '../../domain/inference/tokens/transcript.ts'
import { readProduced } from '../../inference-edge/chat/read-produced.ts'
import { chatCompletions } from '../../inference-edge/protocols/chat-completions.ts'
import { messages } from '../../inference-edge/protocols/messages/protocol.ts'
import type { StreamPresenter } from '../../inference-edge/protocols/protocol.ts'
import { responses } from '../../inference-edge/protocols/responses/protocol.ts'
import { openOutbox } from '../../inference-edge/sse/outbox.ts'
import type { ChunkDelta } from '../../schema/wire/chat.ts'
import { TextChunk } from '../../schema/wire/text-chunk.ts'
import { aChatCall } from '../../test/harness/a-chat-call.ts'
import { openTranslator } from '../../upstreams/formats/openai-chat/stream.ts'

const chunks = 100_000
/** Bytes of the text in each chunk, of which an answer is presented again at its end. */
const textBytes = 4

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

const identity = { requestId: 'req_1', startedAt: 0 }
const question = { model: 'vendor_a/atlas', stream: true, max_tokens: 16 }
const conversation = [{ role: 'user', content: 'Hi' }]
const chat = () => chatCompletions.read({ ...question, messages: conversation, n: 2 }).openPresenter(identity)
const ofResponses = () =>
  responses.read({ model: question.model, stream: true, input: 'Hi' }).openPresenter(identity)
const ofMessages = () => messages.read({ ...question, messages: conversation }).openPresenter(identity)

const call = (index: number, json: string): ChunkDelta => ({
  tool_calls: [{ index, id: 'call_1', type: 'function', function: { name: 'f', arguments: json } }],
})

test.each<[string, () => StreamPresenter, (at: number) => ChunkDelta, 'stop'?]>([
  ['text, in chat', chat, () => ({ content: 'word' })],
  ['ends of one choice, in chat', chat, () => ({}), 'stop'],
  ['text, in responses', ofResponses, () => ({ content: 'word' })],
  ['arguments, in responses', ofResponses, () => call(0, 'word')],
  ['text, in messages', ofMessages, () => ({ content: 'word' })],
  ['refusal, in messages', ofMessages, () => ({ refusal: 'word' })],
  ['arguments of a second call, in messages', ofMessages, at => call(Math.min(at, 1), 'word')],
])('many small chunks of %s keep little more than their text', (_, open, deltaOf, finish) => {
  const translator = openTranslator(aChatCall({ model: question.model, stream: true, n: 2 }))
  const [presenter, transcript, thoughts] = [open(), openTranscript(), openTranscript()]
  const outbox = openOutbox({ maxKeptBytes: () => 0 })
  const before = heapBytes()
  for (let at = 0; at < chunks; at++) {
    const choice = { index: 0, delta: deltaOf(at), logprobs: null, finish_reason: finish ?? null }
    const data = JSON.stringify({
      id: 'x',
      object: 'chat.completion.chunk',
      model: 'x',
      created: 1,
      choices: [choice],
    })
    for (const chunk of translator.read({ event: undefined, data })) {
      if (chunk instanceof TextChunk) transcript.add(chunk.content)
      else readProduced(chunk, transcript, thoughts)
      outbox.add(presenter.chunk(chunk))
    }
    outbox.take()
  }
  expect(heapBytes() - before).toBeLessThan(3 * chunks * textBytes)
  expect(presenter.keepAlive()).not.toBe('') // still in use
})

test('frames that are kept for another try take little more memory than their bytes', () => {
  const outbox = openOutbox({ maxKeptBytes: () => 64 << 20 })
  const before = heapBytes()
  for (let at = 0; at < chunks; at++) outbox.take('data: 0123456789\n\n')
  expect(heapBytes() - before).toBeLessThan(2 * chunks * 18)
  expect(outbox.kept()).toHaveLength(chunks * 18)
})

/** Bytes of all objects and buffers that are in use. */
function heapBytes(): number {
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
