import type { CustomToolCall, Message, ToolCall } from '../../../schema/wire/chat.ts'
import { readArguments } from '../../request/read-arguments.ts'
import { stripSignatures } from '../../signatures/strip-signatures.ts'
import { moveImages } from './move-images.ts'
import { requireToolName } from './require-tool-name.ts'

/**
 * A conversation as the vendor wants it: much as it came. Messages that say nothing say so with empty text, lists of
 * no calls are left out, calls are checked and made whole, results of tools lose the `name` that some clients give them
 * and some vendors refuse, and images in them are moved to where the vendor takes them. The same list where there is
 * nothing to do. Throws `invalid_request`, naming the call.
 */
export function translateMessages(messages: Message[]): Message[] {
  const whole = messages.every(isPlain) ? messages : messages.map(completeMessage)
  return moveImages(stripSignatures(whole))
}

function isPlain({ role, content, name, tool_calls: calls }: Message): boolean {
  return calls === undefined && !saysNothing(content) && (role !== 'tool' || name === undefined)
}

function completeMessage(message: Message, index: number): Message {
  const { content, tool_calls: calls } = message
  const completed: Message = { ...message }
  if (saysNothing(content) && !mayBeSilent(message)) completed.content = ''
  if (message.role === 'tool') completed.name = undefined
  if (calls === undefined) return completed
  completed.tool_calls = calls?.length
    ? calls.map((call, position) => completeCall(call, `messages[${index}].tool_calls[${position}]`))
    : undefined
  return completed
}

function saysNothing(content: Message['content']): boolean {
  return content === undefined || content === null || content.length === 0
}

/** An assistant's message needs no text beside its calls, and some other things that only this vendor knows. */
function mayBeSilent(message: Message): boolean {
  if (message.role !== 'assistant' || Array.isArray(message.content)) return false
  if (message.tool_calls?.length) return true
  return ['refusal', 'audio', 'function_call'].some(name => Reflect.get(message, name))
}

function completeCall(call: ToolCall | CustomToolCall, at: string): ToolCall | CustomToolCall {
  if (!('function' in call)) return call
  const { name, arguments: text } = call.function
  requireToolName(name, `${at}.function.name`)
  readArguments(text, at)
  return {
    ...call,
    type: 'function',
    function: { ...call.function, arguments: text.trim() === '' ? '{}' : text },
  }
}
