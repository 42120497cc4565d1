import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'
import { Problem } from '../../../schema/errors.ts'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
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
export function translateEffort({ reasoning_effort: asked }: ChatRequest, { reasoning }: ChatFlags): Effort {
  if (asked === undefined || asked === null) return {}
  if (!reasoning) {
    if (asked === 'none') return {}
    throw new Problem('unsupported_parameter', { param: 'reasoning_effort' })
  }
  const told = new Map(Object.entries(reasoning.efforts)).get(asked)
  if (told === 'none') return { thinking: { type: 'disabled' } }
  const effort = words.find(word => word === told)
  if (effort) return { effort }
  const known = Object.keys(reasoning.efforts).join(', ')
  throw new Problem('unsupported_parameter', {
    param: 'reasoning_effort',
    message: `reasoning_effort must be one of ${known}.`,
  })
}
