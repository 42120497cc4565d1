import type { ContentPart, CustomToolCall, Message, ToolCall } from '../../../schema/wire/chat.ts'
import { withPortableIds } from '../shared/call-ids.ts'
import { requireToolName } from './tools.ts'

/**
 * The fields of a message that the vendor knows. It refuses other fields, of which clients keep many in their history.
 */
const messageFields: ReadonlySet<string> = new Set([
  ...['role', 'content', 'name', 'refusal', 'tool_calls', 'tool_call_id', 'audio', 'function_call'],
])

/** The model's reasoning, which some other vendors of this format require with the tool calls that followed it. */
const reasoningFields: ReadonlySet<string> = new Set(['reasoning_content', 'reasoning', 'reasoning_details'])

/**
 * Returns a conversation for the vendor, with as few changes as possible. Empty messages get empty text, empty lists of
 * calls are dropped, and calls are checked and completed. Tool results lose the `name`, which some vendors refuse, and
 * their images and files move to a user's message. Fields that the vendor does not know are dropped, and also the
 * model's reasoning unless `keepsReasoning`. Returns the same list if nothing changes. Throws `invalid_request` with
 * the call.
 */
export function translateMessages(messages: Message[], { keepsReasoning = false } = {}): Message[] {
  const isKnown = (field: string) =>
    messageFields.has(field) || (keepsReasoning && reasoningFields.has(field))
  const completed = messages.every(message => isPlain(message, isKnown))
    ? messages
    : messages.map((message, index) => completeMessage(message, index, isKnown))
  return moveMedia(withPortableIds(completed))
}

function isPlain(message: Message, isKnown: (field: string) => boolean): boolean {
  const { role, content, name, tool_calls: calls } = message
  if (calls !== undefined || name === null || isEmpty(content)) return false
  if (role === 'tool' && name !== undefined) return false
  for (const field in message) if (!isKnown(field)) return false
  return !hasCacheControl(content)
}

function completeMessage(message: Message, index: number, isKnown: (field: string) => boolean): Message {
  const { content, tool_calls: calls } = message
  const completed: Message = { ...message }
  for (const field in message) if (!isKnown(field)) Reflect.set(completed, field, undefined)
  if (isEmpty(content) && !mayBeEmpty(message)) completed.content = ''
  else if (Array.isArray(content) && hasCacheControl(content))
    completed.content = content.map(withoutCacheControl)
  if (message.role === 'tool' || message.name === null) completed.name = undefined
  if (calls === undefined) return completed
  completed.tool_calls = calls?.length
    ? calls.map((call, position) => completeCall(call, `messages[${index}].tool_calls[${position}]`))
    : undefined
  return completed
}

function isEmpty(content: Message['content']): boolean {
  return content === undefined || content === null || content.length === 0
}

/** Breakpoints of the cache belong to another format. This vendor caches automatically. */
function hasCacheControl(content: Message['content']): boolean {
  return Array.isArray(content) && content.some(part => part.cache_control !== undefined)
}

function withoutCacheControl<Part extends { cache_control?: unknown }>(part: Part): Part {
  return part.cache_control === undefined ? part : { ...part, cache_control: undefined }
}

/** An assistant's message with calls or some other fields needs no text. */
function mayBeEmpty(message: Message): boolean {
  if (message.role !== 'assistant' || Array.isArray(message.content)) return false
  if (message.tool_calls?.length) return true
  return ['refusal', 'audio', 'function_call'].some(name => Reflect.get(message, name))
}

function completeCall(call: ToolCall | CustomToolCall, at: string): ToolCall | CustomToolCall {
  if (!('function' in call)) return withoutCacheControl(call)
  const { name, arguments: text } = call.function
  requireToolName(name, `${at}.function.name`)
  return {
    ...withoutCacheControl(call),
    type: 'function',
    function: { ...call.function, arguments: text.trim() === '' ? '{}' : text },
  }
}

/** The text of a tool result that contains only media. */
const mediaPlaceholder = 'See below.'

/** The types of parts that the vendor accepts only from users. */
const media: ReadonlySet<string> = new Set(['image_url', 'file', 'input_audio'])

/**
 * Moves images, files and audio from tool results, in which the vendor does not accept them, to a user's message after
 * the last result of the turn, in order and labelled with their `tool_call_id`. Returns the same list if there are
 * none.
 */
function moveMedia(messages: Message[]): Message[] {
  if (!messages.some(hasMedia)) return messages
  const moved: Message[] = []
  let movedParts: ContentPart[] = []
  const addMovedParts = () => {
    if (movedParts.length > 0) moved.push({ role: 'user', content: movedParts })
    movedParts = []
  }
  for (const message of messages) {
    if (message.role !== 'tool') addMovedParts()
    moved.push(hasMedia(message) ? withoutMedia(message) : message)
    if (hasMedia(message)) for (const part of mediaOf(message)) movedParts.push(part)
  }
  addMovedParts()
  return moved
}

function hasMedia({ role, content }: Message): boolean {
  return role === 'tool' && Array.isArray(content) && content.some(isMedia)
}

function withoutMedia(message: Message): Message {
  const others = partsOf(message).filter(part => !isMedia(part))
  return { ...message, content: others.length > 0 ? others : mediaPlaceholder }
}

function mediaOf(message: Message): ContentPart[] {
  const label = { type: 'text', text: `Shown in the result of ${message.tool_call_id}:` }
  return [label, ...partsOf(message).filter(isMedia)]
}

function partsOf({ content }: Message): ContentPart[] {
  return Array.isArray(content) ? content : []
}

function isMedia({ type }: ContentPart): boolean {
  return media.has(type)
}
