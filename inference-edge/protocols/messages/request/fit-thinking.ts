import { type Effort, efforts } from '../../../../schema/catalog/chat-flags.ts'
import type { ChatEntry } from '../../../../schema/catalog/entry.ts'
import type { ChatRequest } from '../../../../schema/wire/chat.ts'
import type { MessagesRequest } from '../../../../schema/wire/messages.ts'

type Asked = Pick<MessagesRequest, 'thinking' | 'output_config'>

/** Budgets of thinking tokens up to which an effort is meant. */
const budgets: [upTo: number, effort: Effort][] = [
  [1_024, 'minimal'],
  [4_096, 'low'],
  [12_288, 'medium'],
  [32_768, 'high'],
  [Infinity, 'xhigh'],
]

/**
 * How long the model that is asked shall think, in the words of chat. Clients of this protocol name an effort or a
 * budget to every model, whatever it knows: it is fitted to the nearest that the model has, and left out where it has
 * none. Nothing where nothing was asked.
 */
export function fitThinking(
  asked: Asked,
  { chat }: ChatEntry,
): {
  reasoning_effort: ChatRequest['reasoning_effort']
} {
  const meant = effortOf(asked)
  const known = efforts.filter(effort => chat.reasoning?.efforts[effort] !== undefined)
  if (!meant || known.length === 0) return { reasoning_effort: undefined }
  const rank = efforts.indexOf(meant)
  const below = known.findLast(effort => efforts.indexOf(effort) <= rank)
  // One who wants thoughts is not given none of them.
  const isFit = below !== undefined && (below !== 'none' || meant === 'none')
  return { reasoning_effort: isFit ? below : known.find(effort => efforts.indexOf(effort) >= rank) }
}

function effortOf({ thinking, output_config: output }: Asked): Effort | undefined {
  if (thinking?.type === 'disabled') return 'none'
  const named = efforts.find(effort => effort === output?.effort)
  if (named) return named
  const budget = thinking?.type === 'enabled' ? thinking.budget_tokens : undefined
  return budget ? budgets.find(([upTo]) => budget <= upTo)?.[1] : undefined
}
