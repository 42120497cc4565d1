import { isRecord } from '../../platform/is-record.ts'
import { Problem } from '../../schema/errors.ts'
import { chatBounds } from '../../schema/wire/chat.ts'

/**
 * Refuses a request that holds more of something than it may, before anything reads what it holds. Of a body that has
 * another shape it says nothing. Throws `invalid_request`, naming the list and its bound.
 */
export function boundCounts(body: unknown): void {
  if (!isRecord(body)) return
  const { messages, tools } = body
  if (lengthOf(tools) > chatBounds.tools) throw refuse('tools', `at most ${chatBounds.tools} tools`)
  if (!Array.isArray(messages)) return
  if (messages.length > chatBounds.messages) {
    throw refuse('messages', `at most ${chatBounds.messages} messages`)
  }
  let parts = 0
  let calls = 0
  for (const [index, message] of messages.entries()) {
    if (!isRecord(message)) continue
    parts += lengthOf(message.content) + lengthOf(message.thinking_blocks)
    calls += lengthOf(message.tool_calls)
    if (parts > chatBounds.parts) {
      throw refuse(`messages[${index}].content`, `at most ${chatBounds.parts} parts in all messages together`)
    }
    if (calls > chatBounds.calls) {
      throw refuse(
        `messages[${index}].tool_calls`,
        `at most ${chatBounds.calls} calls in all messages together`,
      )
    }
  }
}

/**
 * Refuses a body, of any protocol, with more fields than any protocol has, and one with as many `metadata`: each is
 * looked at, and copied, by everything that reads it. Throws `invalid_request`.
 */
export function boundFields(body: unknown): void {
  if (!isRecord(body)) return
  const isIn = (value: unknown) => !isRecord(value) || Object.keys(value).length <= chatBounds.fields
  const most = `has more than ${chatBounds.fields} fields.`
  if (!isIn(body)) throw new Problem('invalid_request', { message: `The body ${most}` })
  if (!isIn(body.metadata))
    throw new Problem('invalid_request', { param: 'metadata', message: `metadata ${most}` })
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0
}

function refuse(param: string, most: string): Problem {
  return new Problem('invalid_request', { param, message: `${param} exceeds its bound: ${most}.` })
}
