import { describe, expect, it } from 'vitest'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
import { aChatCall } from '../../../test/harness/a-chat-call.ts'
import { readAnswer } from './answer.ts'

const text = (content: string) => ({ type: 'text', text: content, citations: null })
const call = (id: string, name: string, input: unknown) => ({ type: 'tool_use', id, name, input })

function answerOf(fields: object, request: Partial<ChatRequest> = {}) {
  const body = {
    id: 'msg_1',
    type: 'message',
    content: [],
    stop_reason: 'end_turn',
    usage: { input_tokens: 5, output_tokens: 7 },
    ...fields,
  }
  return readAnswer(Buffer.from(JSON.stringify(body)), aChatCall({ model: 'vendor_b/lyric', ...request }))
}

const choiceOf = (fields: object, request?: Partial<ChatRequest>) =>
  answerOf(fields, request).completion.choices[0]

describe('a whole answer', () => {
  it('joins its texts', () => {
    const content = [{ type: 'thinking', thinking: 'Hm.', signature: 's' }, text('Hel'), text('lo')]
    expect(answerOf({ content }).completion).toMatchObject({
      id: 'msg_1',
      object: 'chat.completion',
      model: 'vendor_b/lyric',
      choices: [
        { index: 0, message: { role: 'assistant', content: 'Hello', refusal: null }, finish_reason: 'stop' },
      ],
    })
  })

  it('shows its thoughts beside them, and as blocks that can come back', () => {
    const thoughts = [
      { type: 'thinking', thinking: 'Hm.', signature: 's' },
      { type: 'redacted_thinking', data: 'eHg=' },
    ]
    expect(choiceOf({ content: [...thoughts, text('Hello')] })?.message).toMatchObject({
      content: 'Hello',
      reasoning_content: 'Hm.',
      thinking_blocks: thoughts,
    })
  })

  it('names the sequence that stopped it', () => {
    const choice = choiceOf({ content: [text('So')], stop_reason: 'stop_sequence', stop_sequence: 'END' })
    expect(choice).toMatchObject({ finish_reason: 'stop', stop_sequence: 'END' })
  })

  it('has its calls as they came, {} where there are no arguments', () => {
    const content = [call('a', 'now', {}), call('b', 'get_weather', { city: 'Bern' })]
    expect(choiceOf({ content, stop_reason: 'tool_use' })).toMatchObject({
      message: {
        content: null,
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'now', arguments: '{}' } },
          { id: 'b', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Bern"}' } },
        ],
      },
      finish_reason: 'tool_calls',
    })
  })

  it.each([
    [{}, '{'],
    [{ city: 'Ber' }, '{"city":"Ber"'],
  ])('ends with the call that the limit cut, its arguments open: %j', (input, shown) => {
    const content = [call('a', 'now', {}), call('b', 'get_weather', input)]
    const choice = choiceOf({ content, stop_reason: 'max_tokens' })
    expect(choice?.finish_reason).toBe('length')
    expect(choice?.message.tool_calls?.map(made => 'function' in made && made.function.arguments)).toEqual([
      '{}',
      shown,
    ])
  })

  it('given by a tool, is text', () => {
    const response_format = { type: 'json_schema', json_schema: { name: 'a', schema: {} } }
    const given = { content: [call('a', 'give_answer', { a: 1 })], stop_reason: 'tool_use' }
    const choice = choiceOf(given, { model: 'vendor_b/lyric-classic', response_format })
    expect(choice).toMatchObject({ message: { content: '{"a":1}' }, finish_reason: 'stop' })
    expect(choice?.message).not.toHaveProperty('tool_calls')
  })

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['tool_use', 'tool_calls'],
    ['refusal', 'content_filter'],
    ['something_new', 'stop'],
    [null, 'stop'],
  ])('ends with %s as %s', (stop_reason, finish) => {
    expect(choiceOf({ stop_reason })?.finish_reason).toBe(finish)
  })

  it('a refusal is explained', () => {
    const stop_details = { type: 'refusal', category: 'cyber', explanation: 'Not this.' }
    expect(choiceOf({ stop_reason: 'refusal', stop_details })?.message).toMatchObject({
      content: '',
      refusal: 'Not this.',
    })
  })

  it('sums the prompt of what was new, read and written', () => {
    const usage = { input_tokens: 5, output_tokens: 7 }
    const cached = { cache_read_input_tokens: 100, cache_creation_input_tokens: 20 }
    expect(answerOf({ usage: { ...usage, ...cached } }).usage).toEqual({
      ...{ promptTokens: 125, cachedTokens: 100, cacheCreationTokens: 20 },
      ...{ completionTokens: 7, reasoningTokens: 0 },
    })
    const none = { cache_read_input_tokens: null, cache_creation_input_tokens: null }
    expect(answerOf({ usage: { ...usage, ...none } }).usage).toMatchObject({ promptTokens: 5 })
    expect(answerOf({ usage: undefined }).usage).toBeUndefined()
  })
})

describe('what is no answer', () => {
  it('an error under status 200 is a failure of its type', () => {
    const error = { type: 'overloaded_error', message: 'Overloaded' }
    expect(() => answerOf({ type: 'error', error })).toThrow(expect.objectContaining({ kind: 'busy' }))
  })

  it.each(['<html>', 'null', '[]', '{}', '{"type":"message"}'])('%s is broken', body => {
    const read = () => readAnswer(Buffer.from(body), aChatCall({ model: 'vendor_b/lyric' }))
    expect(read).toThrow(expect.objectContaining({ kind: 'broken' }))
  })
})
