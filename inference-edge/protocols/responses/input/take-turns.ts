import type { Message } from '../../../../schema/wire/chat.ts'
import { buildContent } from './build-content.ts'
import type { CallItem, Item, MessageItem } from './parse-items.ts'

/** One message, and the calls that the assistant made with it. */
export interface Turn {
  /** Where in the request the message stands, and its content. */
  at: string
  contentAt: string
  message: Message
  calls: CallItem[]
}

/**
 * The items as turns: calls belong to the assistant's message right before them, else they are a turn without words.
 * An output ends the turn, so that calls which the model made one after the other do not become parallel.
 */
export function takeTurns(items: Item[]): Turn[] {
  const turns: Turn[] = []
  let open: Turn | undefined
  for (const item of items) {
    if (item.kind === 'output') {
      open = undefined
    } else if (item.kind === 'message') {
      const turn = openTurn(item)
      turns.push(turn)
      open = turn.message.role === 'assistant' ? turn : undefined
    } else {
      if (!open) {
        open = { at: item.at, contentAt: item.at, message: { role: 'assistant', content: null }, calls: [] }
        turns.push(open)
      }
      open.calls.push(item)
    }
  }
  return turns
}

function openTurn({ at, contentAt, message: { role, content } }: MessageItem): Turn {
  const message: Message = {
    role: role === 'developer' ? 'system' : role,
    content: buildContent(content, contentAt),
  }
  return { at, contentAt, message, calls: [] }
}
