import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
import { chooseEffort, refuseEffort } from '../../request/choose-effort.ts'
import type { MessagesBody } from '../wire.ts'

const words = ['low', 'medium', 'high', 'xhigh', 'max'] as const

export interface Effort {
  effort?: (typeof words)[number] | undefined
  thinking?: MessagesBody['thinking']
}

/**
 * How long to think, by the model's table: a word for `output_config`, or `none`, which turns thinking off. Thinking
 * is never turned on by name: its signed blocks would have to come back, and chat clients do not keep them.
 * Throws `unsupported_parameter` for an effort that is not in the table.
 */
export function translateEffort(request: ChatRequest, chat: ChatFlags): Effort {
  const told = chooseEffort(request, chat)
  if (told === undefined || !chat.reasoning) return {}
  if (told === 'none') return { thinking: { type: 'disabled' } }
  const effort = words.find(word => word === told)
  if (effort) return { effort }
  throw refuseEffort(chat.reasoning)
}
