import { expect, test } from 'vitest'
import { chatCompletions } from './chat-completions.ts'
import { messages } from './messages/protocol.ts'
import { responses } from './responses/protocol.ts'

const hi = [{ role: 'user', content: 'Hi' }]
const bodies = [
  [chatCompletions, { model: 'm', messages: hi }] as const,
  [messages, { model: 'm', max_tokens: 9, messages: hi }] as const,
  [responses, { model: 'm', input: hi }] as const,
]

const refused: [string, unknown, string][] = [
  ['previous_response_id', 'resp_1', 'previous_response_not_found'],
  ['thread', { type: 'create' }, 'thread_unsupported_request'],
  ['previous_message_id', 'msg_1', 'unsupported_parameter'],
  ['previous_interaction_id', 'int_1', 'unsupported_parameter'],
  ['conversation', { id: 'conv_1' }, 'unsupported_parameter'],
  ['conversation_id', 'conv_1', 'unsupported_parameter'],
  ['thread_id', 'thread_1', 'unsupported_parameter'],
  ['assistant_id', 'asst_1', 'unsupported_parameter'],
  ['cached_content', 'cachedContents/1', 'unsupported_parameter'],
  ['chat_history', [{ role: 'USER', message: 'Hi' }], 'unsupported_parameter'],
  ['history', [['Hi', 'Hello']], 'unsupported_parameter'],
  ['parent_message_id', 'msg_1', 'unsupported_parameter'],
  ['prompt', { id: 'pmpt_1' }, 'unsupported_parameter'],
  ['prompt_id', 'pmpt_1', 'unsupported_parameter'],
]

test.each(refused)(
  '%s is refused by every protocol, and null and false are accepted',
  (param, value, errorName) => {
    for (const [protocol, body] of bodies) {
      expect(() => protocol.read({ ...body, [param]: value })).toThrow(
        expect.objectContaining({ errorName, details: expect.objectContaining({ param }) }),
      )
      for (const absent of [null, false]) {
        expect(() => protocol.read({ ...body, [param]: absent })).not.toThrow()
      }
    }
  },
)

test('fields that only label a request are accepted by every protocol', () => {
  const labels = { session_id: 'session_1', chat_id: 'chat_1' }
  for (const [protocol, body] of bodies) expect(() => protocol.read({ ...body, ...labels })).not.toThrow()
})
