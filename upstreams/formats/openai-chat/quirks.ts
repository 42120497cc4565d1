import type { Quirk } from '../../../schema/catalog/vendor.ts'
import type { ChatRequest, Message } from '../../../schema/wire/chat.ts'

/** Returns the messages with roles that the vendor knows; the same list if nothing changes. */
export function rolesFor(messages: Message[], quirks: readonly Quirk[]): Message[] {
  if (!quirks.includes('no_developer_role') || !messages.some(isOfDeveloper)) return messages
  return messages.map(message => (isOfDeveloper(message) ? { ...message, role: 'system' } : message))
}

function isOfDeveloper({ role }: Message): boolean {
  return role === 'developer'
}

/** Returns the tools of a request without the fields that the vendor refuses. */
export function withoutQuirks<Offer extends Pick<ChatRequest, 'tools' | 'parallel_tool_calls'>>(
  offer: Offer,
  quirks: readonly Quirk[],
): Offer {
  if (quirks.length === 0) return offer
  const { tools, parallel_tool_calls } = offer
  return {
    ...offer,
    tools: quirks.includes('no_strict_tools') ? tools?.map(withoutStrict) : tools,
    parallel_tool_calls: quirks.includes('no_parallel_tool_calls') ? undefined : parallel_tool_calls,
  }
}

function withoutStrict(tool: NonNullable<ChatRequest['tools']>[number]) {
  return tool.function ? { ...tool, function: { ...tool.function, strict: undefined } } : tool
}

/** Requests the usage of a stream, even if the client does not, unless the vendor refuses that. */
export function translateStreamOptions(
  { stream, stream_options }: ChatRequest,
  quirks: readonly Quirk[],
): ChatRequest['stream_options'] {
  if (!stream || quirks.includes('no_stream_options')) return undefined
  return { ...stream_options, include_usage: true }
}
