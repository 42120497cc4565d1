import type { ModelTraits } from '../model-traits.ts'
import { refuse } from '../refuse.ts'
import {
  type Fields,
  readBoolean,
  readChoice,
  readNumber,
  readRecord,
  refuseUnknownNames,
} from './read-fields.ts'

const tokensOfLevel = { MINIMAL: 16, LOW: 32, MEDIUM: 64, HIGH: 128 }
/** What the simulator's models spend of a large budget, or of one that they set themselves. */
const tokensOfBudget = 64

/** How many tokens are thought before the answer: by level for models that know them, else by budget. */
export function parseThinking(generation: Fields, { isSigning }: ModelTraits): number {
  const fields = readRecord(generation, 'thinkingConfig')
  if (!fields) return 0
  refuseUnknownNames(fields, ['includeThoughts', 'thinkingBudget', 'thinkingLevel'])
  readBoolean(fields, 'includeThoughts')
  const level = readChoice(fields, 'thinkingLevel', ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'])
  const budget = readNumber(fields, 'thinkingBudget', { least: -1, most: 32_768, isWhole: true })
  if (level !== undefined && budget !== undefined)
    throw refuse(400, 'You can only set one of thinking budget and thinking level.')
  if (level !== undefined && !isSigning) throw refuse(400, 'Thinking level is not supported for this model.')
  if (level !== undefined) return tokensOfLevel[level]
  if (budget === undefined || budget === 0) return 0
  return budget < 0 ? tokensOfBudget : Math.min(budget, tokensOfBudget)
}
