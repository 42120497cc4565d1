import type { ContentPart, Message } from '../../../schema/wire/chat.ts'

/** What a tool's message says that held nothing but images. */
const seeBelow = 'See the images below.'

/**
 * The vendor takes images from users alone. Those in the results of tools are shown by a message of the user's after
 * all results of the turn, in their order, each result's under its `tool_call_id`. The same list where there are none.
 */
export function moveImages(messages: Message[]): Message[] {
  if (!messages.some(isShowing)) return messages
  const moved: Message[] = []
  let shown: ContentPart[] = []
  const showThem = () => {
    if (shown.length > 0) moved.push({ role: 'user', content: shown })
    shown = []
  }
  for (const message of messages) {
    if (message.role !== 'tool') showThem()
    moved.push(isShowing(message) ? withoutImages(message) : message)
    if (isShowing(message)) shown.push(...imagesOf(message))
  }
  showThem()
  return moved
}

function isShowing({ role, content }: Message): boolean {
  return role === 'tool' && Array.isArray(content) && content.some(isImage)
}

function withoutImages(message: Message): Message {
  const others = partsOf(message).filter(part => !isImage(part))
  return { ...message, content: others.length > 0 ? others : seeBelow }
}

function imagesOf(message: Message): ContentPart[] {
  const label = { type: 'text', text: `Images in the result of ${message.tool_call_id}:` }
  return [label, ...partsOf(message).filter(isImage)]
}

function partsOf({ content }: Message): ContentPart[] {
  return Array.isArray(content) ? content : []
}

function isImage({ type }: ContentPart): boolean {
  return type === 'image_url'
}
