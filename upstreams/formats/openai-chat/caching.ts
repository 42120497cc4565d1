import { isRecord } from '../../../platform/checks.ts'
import type { ChatRequest, Message, Tool } from '../../../schema/wire/chat.ts'
import { saltComment } from '../shared/content.ts'

/**
 * Puts a comment with the end user's cache token before everything that the vendor may cache, for vendors of the format
 * without `prompt_cache_key`. Some of them put the tools into the prompt before the system message and some after it,
 * so both begin with the comment. It is added to a system message at the beginning of the conversation, because many
 * models do not accept a second one (docs/behaviour.md, Prompt caching).
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
 * Salts the first tool of each kind, because a vendor may leave out kinds that it does not know. The type of a tool names its
 * kind, because a tool can also have the fields of another kind. The description follows the name directly, so that little
 * text precedes the comment in any order of the vendor.
 */
function saltTools(tools: Tool[], salt: string): Tool[] {
  const salted = [...tools]
  for (const kind of ['function', 'custom']) {
    const index = tools.findIndex(({ type }) => type === kind)
    const details: unknown = tools[index] && Reflect.get(tools[index], kind)
    if (isRecord(details)) salted[index] = { ...tools[index]!, [kind]: saltDescription(details, salt) }
  }
  return salted
}

/** A description that is no text stays, and the vendor refuses it. */
function saltDescription({ name, description, ...rest }: Record<string, unknown>, salt: string) {
  const isText = typeof (description ?? '') === 'string'
  return { name, description: isText ? `${salt}\n${description ?? ''}`.trimEnd() : description, ...rest }
}
