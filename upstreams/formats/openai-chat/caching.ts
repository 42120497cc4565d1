import type { ChatRequest, Message, Tool } from '../../../schema/wire/chat.ts'
import { saltComment } from '../shared/content.ts'

/**
 * Puts a comment with the end user's cache token before everything that the vendor may cache, for vendors of
 * the format that do not know `prompt_cache_key`. Some of them write the tools into the prompt before the
 * system message and some after it, so both begin with the comment. It joins a system message at the
 * beginning of the conversation, since many models take no second one (docs/behaviour.md, Prompt caching).
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
 * The description is written right after the name, so that whatever the vendor's order little precedes the
 * comment.
 */
function saltTools([first, ...others]: Tool[], salt: string): Tool[] {
  if (!first?.function) return first ? [first, ...others] : []
  const { name, description, ...rest } = first.function
  const salted = { name, description: `${salt}\n${description ?? ''}`.trimEnd(), ...rest }
  return [{ ...first, function: salted }, ...others]
}
