import type { ChatFlags } from '../../../../schema/catalog/chat-flags.ts'
import type { ChatRequest } from '../../../../schema/wire/chat.ts'
import { chooseEffort, refuseEffort } from '../../shared/request/choose-effort.ts'
import type { MessagesBody } from '../wire.ts'

const words = ['low', 'medium', 'high', 'xhigh', 'max'] as const

export interface Effort {
  effort?: (typeof words)[number] | undefined
  thinking?: MessagesBody['thinking']
}

/**
 * How long to think, by the model's table: a word for `output_config`, with which goes that the model thinks as much as
 * it takes (`adaptive`); or `none`, which turns thinking off. A request in the words of the Messages protocol says
 * itself how (`thinking`); budgets are of earlier models, recent ones set their own. Where a call of a tool is demanded
 * (`isForced`) the vendor refuses thinking, so nothing is said of it.
 * Throws `unsupported_parameter` for an effort that is not in the table.
 */
export function translateEffort(
  request: ChatRequest,
  { reasoning }: ChatFlags,
  { isForced }: { isForced: boolean },
): Effort {
  const told = chooseEffort(request, { reasoning })
  if (!reasoning) return {}
  const effort = words.find(word => word === told)
  if (told !== undefined && told !== 'none' && !effort) throw refuseEffort(reasoning)
  const thinking = thinkingOf(request, told)
  const mayThink = !isForced || thinking?.type === 'disabled'
  return { effort, thinking: mayThink ? thinking : undefined }
}

function thinkingOf(
  { thinking }: Pick<ChatRequest, 'thinking'>,
  told: string | number | undefined,
): MessagesBody['thinking'] {
  if (!thinking) return told === undefined ? undefined : { type: told === 'none' ? 'disabled' : 'adaptive' }
  const { type, display } = thinking
  if (type === 'disabled' || type === 'between_tools') return { type }
  const shown = display === 'summarized' || display === 'omitted' ? display : undefined
  return { type: 'adaptive', display: shown }
}
