import type { ChatFlags, Reasoning } from '../../../../schema/catalog/chat-flags.ts'
import type { ChatRequest } from '../../../../schema/wire/chat.ts'
import { chooseEffort, refuseEffort } from '../../shared/request/choose-effort.ts'
import type { GenerationConfig, ThinkingConfig } from '../wire.ts'

const levels = ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'] as const satisfies ThinkingConfig['thinkingLevel'][]

/**
 * How long to think, by the model's table: a level, or a budget of tokens. Thoughts count as output: a budget is the
 * largest of the table that leaves as much room for the answer, so that nobody pays for thoughts alone. A model that
 * cannot be told to think takes `none`. Throws `unsupported_parameter` for an effort that is not in the table.
 */
export function chooseThinking(
  request: Pick<ChatRequest, 'reasoning_effort'>,
  { reasoning }: Pick<ChatFlags, 'reasoning'>,
  outputTokens: number,
): Pick<GenerationConfig, 'thinkingConfig'> {
  const told = chooseEffort(request, { reasoning })
  if (told === undefined || !reasoning) return {}
  if (reasoning.carrier === 'thinking_budget' && typeof told === 'number') {
    return { thinkingConfig: { thinkingBudget: fitBudget(told, reasoning, outputTokens) } }
  }
  const level = levels.find(word => word === told)
  if (reasoning.carrier === 'thinking_level' && level) return { thinkingConfig: { thinkingLevel: level } }
  throw refuseEffort(reasoning)
}

function fitBudget(told: number, { efforts }: Reasoning, outputTokens: number): number {
  const room = Math.floor(outputTokens / 2)
  const budgets = Object.values(efforts).filter(budget => typeof budget === 'number')
  const fitting = budgets.filter(budget => budget <= Math.min(told, room))
  return fitting.length > 0 ? Math.max(...fitting) : Math.min(told, ...budgets)
}
