import type { ContentPart, Message } from '../../../../schema/wire/chat.ts'
import type { ChatCall } from '../../../chat-adapter.ts'
import { translateRequest } from './translate-request.ts'

/** Where among the client's messages one that was sent stood. */
const place = Symbol('place')

/**
 * A parameter that the vendor names, as the client knows it: the vendor counts the messages that it was sent, and some
 * of them are ours (a salt, the images of a tool). Found out only when it is needed.
 */
export function nameParameter(param: string, { request, ...call }: ChatCall): string {
  const [, index, rest = ''] = /^messages\.?\[(\d+)\](.*)$/.exec(param) ?? []
  if (index === undefined) return param
  const marked = request.messages.map((message, at) => ({ ...message, [place]: at }))
  const { messages } = translateRequest({ ...call, request: { ...request, messages: marked } }, {}, '')
  const sent = messages[Number(index)]
  if (!sent) return param
  const [, position, inside = ''] = /^\.content\.?\[(\d+)\](.*)$/.exec(rest) ?? []
  const own = position === undefined ? undefined : findPart(request.messages, partsOf(sent)[Number(position)])
  if (own) return own + inside
  const at: unknown = Reflect.get(sent, place)
  return typeof at === 'number' ? `messages[${at}]${rest}` : 'messages'
}

/** Parts are sent as they came, wherever they go. */
function findPart(messages: readonly Message[], part: ContentPart | undefined): string | undefined {
  for (const [index, message] of messages.entries()) {
    const position = part ? partsOf(message).indexOf(part) : -1
    if (position >= 0) return `messages[${index}].content[${position}]`
  }
  return undefined
}

function partsOf({ content }: Message): ContentPart[] {
  return Array.isArray(content) ? content : []
}
