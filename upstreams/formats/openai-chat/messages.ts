import type { ContentPart, CustomToolCall, Message, ToolCall } from '../../../schema/wire/chat.ts'
import { stripSignatures } from '../shared/call-ids.ts'
import { requireToolName } from './tools.ts'

/** What a message may say to the vendor, which refuses all else: clients keep much more in their history. */
const words: ReadonlySet<string> = new Set([
  ...['role', 'content', 'name', 'refusal', 'tool_calls', 'tool_call_id', 'audio', 'function_call'],
])

/** Thoughts, which some vendors of this format want back with the calls that they led to. */
const thoughts: ReadonlySet<string> = new Set(['reasoning_content', 'reasoning', 'reasoning_details'])

/**
 * A conversation as the vendor wants it: much as it came. Messages that say nothing say so with empty text,
 * lists of no calls are left out, calls are checked and made whole, results of tools lose the `name` that
 * some clients give them and some vendors refuse, and images and files in them are moved to where the vendor
 * takes them. What the vendor has no word for is left out; others that speak its format (`isSalted`) are
 * shown thoughts. The same list where there is nothing to do. Throws `invalid_request`, naming the call.
 */
export function translateMessages(messages: Message[], { isSalted = false } = {}): Message[] {
  const isKnown = (word: string) => words.has(word) || (isSalted && thoughts.has(word))
  const whole = messages.every(message => isPlain(message, isKnown))
    ? messages
    : messages.map((message, index) => completeMessage(message, index, isKnown))
  return moveMedia(stripSignatures(whole))
}

function isPlain(message: Message, isKnown: (word: string) => boolean): boolean {
  const { role, content, name, tool_calls: calls } = message
  if (calls !== undefined || name === null || saysNothing(content)) return false
  if (role === 'tool' && name !== undefined) return false
  for (const word in message) if (!isKnown(word)) return false
  return !isMarked(content)
}

function completeMessage(message: Message, index: number, isKnown: (word: string) => boolean): Message {
  const { content, tool_calls: calls } = message
  const completed: Message = { ...message }
  for (const word in message) if (!isKnown(word)) Reflect.set(completed, word, undefined)
  if (saysNothing(content) && !mayBeSilent(message)) completed.content = ''
  else if (Array.isArray(content) && isMarked(content)) completed.content = content.map(withoutMark)
  if (message.role === 'tool' || message.name === null) completed.name = undefined
  if (calls === undefined) return completed
  completed.tool_calls = calls?.length
    ? calls.map((call, position) => completeCall(call, `messages[${index}].tool_calls[${position}]`))
    : undefined
  return completed
}

function saysNothing(content: Message['content']): boolean {
  return content === undefined || content === null || content.length === 0
}

/** Breakpoints of the cache are another vendor's: this one caches by itself. */
function isMarked(content: Message['content']): boolean {
  return Array.isArray(content) && content.some(part => part.cache_control !== undefined)
}

function withoutMark<Part extends { cache_control?: unknown }>(part: Part): Part {
  return part.cache_control === undefined ? part : { ...part, cache_control: undefined }
}

/**
 * An assistant's message needs no text beside its calls, and some other things that only this vendor knows.
 */
function mayBeSilent(message: Message): boolean {
  if (message.role !== 'assistant' || Array.isArray(message.content)) return false
  if (message.tool_calls?.length) return true
  return ['refusal', 'audio', 'function_call'].some(name => Reflect.get(message, name))
}

function completeCall(call: ToolCall | CustomToolCall, at: string): ToolCall | CustomToolCall {
  if (!('function' in call)) return withoutMark(call)
  const { name, arguments: text } = call.function
  requireToolName(name, `${at}.function.name`)
  return {
    ...withoutMark(call),
    type: 'function',
    function: { ...call.function, arguments: text.trim() === '' ? '{}' : text },
  }
}

/** What a tool's message says that held nothing else. */
const seeBelow = 'See below.'

/** What is shown, not said. */
const media: ReadonlySet<string> = new Set(['image_url', 'file', 'input_audio'])

/**
 * The vendor takes images, files and sound from users alone. Those in the results of tools are shown by a
 * message of the user's after all results of the turn, in their order, each result's under its
 * `tool_call_id`. The same list where there are none.
 */
function moveMedia(messages: Message[]): Message[] {
  if (!messages.some(isShowing)) return messages
  const moved: Message[] = []
  let shown: ContentPart[] = []
  const showThem = () => {
    if (shown.length > 0) moved.push({ role: 'user', content: shown })
    shown = []
  }
  for (const message of messages) {
    if (message.role !== 'tool') showThem()
    moved.push(isShowing(message) ? withoutMedia(message) : message)
    if (isShowing(message)) for (const part of mediaOf(message)) shown.push(part)
  }
  showThem()
  return moved
}

function isShowing({ role, content }: Message): boolean {
  return role === 'tool' && Array.isArray(content) && content.some(isMedium)
}

function withoutMedia(message: Message): Message {
  const others = partsOf(message).filter(part => !isMedium(part))
  return { ...message, content: others.length > 0 ? others : seeBelow }
}

function mediaOf(message: Message): ContentPart[] {
  const label = { type: 'text', text: `Shown in the result of ${message.tool_call_id}:` }
  return [label, ...partsOf(message).filter(isMedium)]
}

function partsOf({ content }: Message): ContentPart[] {
  return Array.isArray(content) ? content : []
}

function isMedium({ type }: ContentPart): boolean {
  return media.has(type)
}
