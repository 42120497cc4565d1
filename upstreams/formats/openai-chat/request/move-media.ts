import type { ContentPart, Message } from '../../../../schema/wire/chat.ts'

/** What a tool's message says that held nothing else. */
const seeBelow = 'See below.'

/** What is shown, not said. */
const media: ReadonlySet<string> = new Set(['image_url', 'file', 'input_audio'])

/**
 * The vendor takes images, files and sound from users alone. Those in the results of tools are shown by a message of
 * the user's after all results of the turn, in their order, each result's under its `tool_call_id`. The same list
 * where there are none.
 */
export function moveMedia(messages: Message[]): Message[] {
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
