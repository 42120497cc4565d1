import type { ChatRequest, Message, Tool } from '../../../schema/wire/chat.ts'
import { saltComment } from '../shared/content.ts'

/**
 * Puts a comment that only one end user has before everything that the vendor may cache (docs/behaviour.md,
 * Prompt caching). Of vendors that speak this format and know no `prompt_cache_key`, some write the tools
 * into the prompt before the system's text and some after it, so both begin with the comment. It joins a
 * system message that opens the conversation: many models take no second one.
 */
export function saltPrefix<Body extends Pick<ChatRequest, 'messages' | 'tools'>>(
  body: Body,
  cacheToken: string,
): Body {
  const salt = saltComment(cacheToken)
  const { messages, tools } = body
  return { ...body, messages: saltMessages(messages, salt), tools: tools && saltTools(tools, salt) }
}

function saltMessages(messages: Message[], salt: string): Message[] {
  const [first, ...others] = messages
  if (first?.role !== 'system' && first?.role !== 'developer') {
    return [{ role: 'system', content: salt }, ...messages]
  }
  const { content } = first
  const salted = Array.isArray(content)
    ? [{ type: 'text', text: salt }, ...content]
    : `${salt}\n${content ?? ''}`.trimEnd()
  return [{ ...first, content: salted }, ...others]
}

/**
 * The description comes right after the name, so that little stands before the comment however it is written.
 */
function saltTools([first, ...others]: Tool[], salt: string): Tool[] {
  if (!first?.function) return first ? [first, ...others] : []
  const { name, description, ...rest } = first.function
  const salted = { name, description: `${salt}\n${description ?? ''}`.trimEnd(), ...rest }
  return [{ ...first, function: salted }, ...others]
}
