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
]

test.each(refused)('%s is refused by every protocol, and null is accepted', (param, value, errorName) => {
  for (const [protocol, body] of bodies) {
    expect(() => protocol.read({ ...body, [param]: value })).toThrow(
      expect.objectContaining({ errorName, details: expect.objectContaining({ param }) }),
    )
    expect(() => protocol.read({ ...body, [param]: null })).not.toThrow()
  }
})
