import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'
import { Problem } from '../../../schema/errors.ts'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
import type { GenerationConfig, ThinkingConfig } from '../wire.ts'

const levels = ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'] as const satisfies ThinkingConfig['thinkingLevel'][]

/**
 * How long to think, by the model's table: a level, or a budget of tokens. A model that cannot be told to think takes
 * `none`. Throws `unsupported_parameter` for an effort that is not in the table.
 */
export function chooseThinking(
  { reasoning_effort: asked }: Pick<ChatRequest, 'reasoning_effort'>,
  { reasoning }: Pick<ChatFlags, 'reasoning'>,
): Pick<GenerationConfig, 'thinkingConfig'> {
  if (asked === undefined || asked === null) return {}
  if (!reasoning) {
    if (asked === 'none') return {}
    throw new Problem('unsupported_parameter', { param: 'reasoning_effort' })
  }
  const told = new Map(Object.entries(reasoning.efforts)).get(asked)
  if (reasoning.carrier === 'thinking_budget' && typeof told === 'number') {
    return { thinkingConfig: { thinkingBudget: told } }
  }
  const level = levels.find(word => word === told)
  if (reasoning.carrier === 'thinking_level' && level) return { thinkingConfig: { thinkingLevel: level } }
  throw new Problem('unsupported_parameter', {
    param: 'reasoning_effort',
    message: `reasoning_effort must be one of ${Object.keys(reasoning.efforts).join(', ')}.`,
  })
}
