import { expect, test } from 'vitest'
import { wholeChunk } from '../../schema/wire/text-chunk.ts'
import { aChatCall } from '../../test/harness/a-chat-call.ts'
import { readAnswer } from '../../upstreams/formats/openai-chat/answer.ts'
import { openTranslator } from '../../upstreams/formats/openai-chat/stream.ts'
import { endsMeaningfully, readProduced } from './read-produced.ts'

function countProduced(answer: Parameters<typeof readProduced>[0]): number {
  let characters = 0
  const counter = {
    add(text: string) {
      characters += text.length
    },
  }
  readProduced(answer, counter, counter)
  return characters
}

const call = aChatCall({ model: 'vendor_a/atlas' })

/** Returns an answer of a vendor in both forms: whole and as a chunk. */
function bothWays(said: object, finish: string | null = 'stop') {
  const choice = { index: 0, finish_reason: finish }
  const whole = { id: 'c', choices: [{ ...choice, message: said }] }
  const chunk = { id: 'c', choices: [{ ...choice, delta: said }] }
  const { completion } = readAnswer(Buffer.from(JSON.stringify(whole)), call)
  const chunks = openTranslator(call).read({ event: undefined, data: JSON.stringify(chunk) })
  return [completion, ...chunks.map(wholeChunk)]
}

test.each<[string, object, number]>([
  ['text', { content: 'Hello' }, 5],
  ['a refusal', { refusal: 'No.' }, 3],
  ['thoughts that are shown', { reasoning_content: 'Hm, so' }, 6],
  ['thoughts under their other name', { content: '', reasoning: 'Hm.' }, 3],
  ['thoughts in parts', { reasoning_details: [{ text: 'Hm.' }, { summary: 'So.' }, { data: 'x' }, 5] }, 6],
  ['thoughts under both names once', { reasoning_content: 'Hm, so', reasoning: 'Hm, so' }, 6],
  ['a call', { tool_calls: [{ index: 0, id: 'a', function: { name: 'now', arguments: '{}' } }] }, 5],
  [
    'a call of a custom tool',
    { tool_calls: [{ index: 0, id: 'a', type: 'custom', custom: { name: 'grep', input: 'x.*y' } }] },
    8,
  ],
  ['a piece of one', { tool_calls: [{ index: 0, custom: { input: 'x.*y' } }] }, 4],
  ['a call in the old way', { function_call: { name: 'now', arguments: '{"a":1}' } }, 10],
  ['sound, by its transcript', { audio: { id: 'a', data: 'QUJD'.repeat(1_000), transcript: 'Hello' } }, 6],
  ['sound without one', { audio: { data: 'QUJD' } }, 1],
  ['several things', { content: 'I look.', tool_calls: [{ function: { name: 'now' } }] }, 10],
])('what the client sees counts: %s', (_, said, characters) => {
  for (const answer of bothWays(said)) expect(countProduced(answer)).toBe(characters)
})

test.each<[string, object]>([
  ['nothing at all', {}],
  ['the role alone', { role: 'assistant', content: '' }],
  ['nulls', { content: null, refusal: null, tool_calls: null, function_call: null, audio: null }],
  ['what has another shape', { reasoning: { text: 'x' }, audio: 'QUJD', function_call: 5 }],
])('%s is nothing', (_, said) => {
  for (const answer of bothWays(said)) {
    expect(countProduced(answer)).toBe(0)
    expect(endsMeaningfully(answer)).toBe(false)
  }
})

test('an answer that ended at its limit, or was filtered, is one whatever it shows', () => {
  for (const finish of ['length', 'content_filter'])
    for (const answer of bothWays({}, finish)) expect(endsMeaningfully(answer)).toBe(true)
})
