import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../../platform/checks.ts'
import { efforts } from '../../schema/catalog/chat-flags.ts'
import type { TokenRate } from '../../schema/catalog/prices.ts'
import type { Vendor } from '../../schema/catalog/vendor.ts'
import type { ListedModel, ListedReasoning } from './lists.ts'
import { printDollars, type TokenPrices, withMargin } from './token-prices.ts'

/** The parts of an entry that an import writes and renews. All other parts belong to the operator. */
export interface ImportedParts {
  upstream: { model: string }
  chat: Record<string, unknown>
  prices: { rates: TokenRate[] }
}

/** Flags of families by name, from `families.yaml`. */
export type Families = Readonly<Record<string, unknown>>

/**
 * Declares a listed model: its upstream name, its flags as far as they differ from its family's, and its prices with the
 * margin. Throws an Error if its vendor has no wire format of chat.
 */
export function declareModel(
  model: ListedModel,
  { vendor, families, margin }: { vendor: Vendor; families: Families; margin: string },
): ImportedParts {
  const family = familyOf(model, vendor)
  const known = isRecord(families[family]) ? families[family] : {}
  const flags = Object.entries(flagsOf(model, vendor, known)).filter(
    ([name, value]) => value !== undefined && !isDeepStrictEqual(known[name] ?? false, value),
  )
  return {
    upstream: { model: model.id },
    chat: { $ref: `../families.yaml#/${family}`, ...Object.fromEntries(flags) },
    prices: { rates: ratesOf(model.prices, { margin, hasWrites: vendor.adapter === 'anthropic-messages' }) },
  }
}

/** Returns the digest by which the next import recognises that an operator has changed these parts. */
export function digestOf({ upstream, chat, prices }: Record<keyof ImportedParts, unknown>): string {
  const text = JSON.stringify({ upstream, chat, prices }, (_, value: unknown) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  )
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}

function familyOf({ sampling, reasoning }: ListedModel, { label, adapter }: Vendor): string {
  switch (adapter) {
    case 'openai-chat':
      if (label !== 'vendor_a') return 'openai-chat-compatible'
      return reasoning || !sampling ? 'openai-chat-reasoning' : 'openai-chat'
    case 'anthropic-messages':
      return sampling ? 'anthropic-messages-earlier' : 'anthropic-messages'
    case 'gemini':
      return reasoning?.budget && !reasoning.efforts ? 'gemini-earlier' : 'gemini'
    default:
      throw new Error(`${label} has the adapter ${adapter}, which serves no chat: see vendors.yaml`)
  }
}

/** Maximum length of a typical answer, in tokens, of models that reason and of others. */
const typicalTokens = { reasoning: 16_384, other: 4_096 }

function flagsOf(model: ListedModel, vendor: Vendor, family: Record<string, unknown>) {
  const { reads, hasDearAudio, outputTokens, contextTokens } = model
  const typical = model.reasoning ? typicalTokens.reasoning : typicalTokens.other
  return {
    vision: reads.has('image'),
    documents: reads.has('pdf'),
    audio: reads.has('audio') && family.audio === true && !hasDearAudio,
    tools: model.tools,
    sampling: model.sampling,
    context_tokens: contextTokens,
    max_output_tokens: outputTokens,
    default_output_tokens: Math.min(typical, outputTokens),
    reasoning: model.reasoning && reasoningOf(model.reasoning, vendor, family),
  }
}

/** Levels of effort, in ascending order. */
const levels = efforts.filter(effort => effort !== 'none')

function reasoningOf(
  { efforts: listed = [], budget }: ListedReasoning,
  { adapter }: Vendor,
  family: Record<string, unknown>,
): Record<string, unknown> | undefined {
  const known = efforts.filter(effort => listed.includes(effort))
  switch (adapter) {
    case 'openai-chat': // a level that the vendor lacks is refused, as the vendor does
      if (known.length === 0) return undefined
      return {
        carrier: 'reasoning_effort',
        efforts: Object.fromEntries(known.map(effort => [effort, effort])),
      }
    case 'anthropic-messages':
      if (!family.reasoning || known.length === 0) return undefined
      return { carrier: 'output_config', efforts: { none: 'none', ...nearest(known) } }
    default:
      if (known.length > 0) {
        const upper = Object.entries(nearest(known)).map(([effort, level]) => [effort, level.toUpperCase()])
        const lowest = upper[0]?.[1]
        return {
          carrier: 'thinking_level',
          efforts: { none: lowest, ...Object.fromEntries(upper) },
          signatures: true,
        }
      }
      return budget && { carrier: 'thinking_budget', efforts: budgetsOf(budget) }
  }
}

/** Returns for each level the listed level that is nearest: itself, else the next higher one, else the highest. */
function nearest(listed: readonly string[]): Record<string, string> {
  const found = levels.map((level, index) => {
    const higher = levels.slice(index).find(candidate => listed.includes(candidate))
    return [level, higher ?? levels.findLast(candidate => listed.includes(candidate)) ?? level]
  })
  return Object.fromEntries(found)
}

/** The budgets of levels in tokens, before the model's own limits. */
const budgets = { minimal: 512, low: 1_024, medium: 8_192, high: 16_384, xhigh: 24_576 }

function budgetsOf({ min, max }: { min: number; max: number }): Record<string, number> {
  const limited = Object.entries(budgets).map(([level, tokens]) => [
    level,
    Math.min(max, Math.max(min, tokens)),
  ])
  return { ...(min === 0 && { none: 0 }), ...Object.fromEntries(limited), max }
}

const kinds = ['input', 'cache_read', 'cache_write', 'output'] as const

/** Returns the rates of a list of prices, without cache writes where the vendor's format has none. */
function ratesOf(
  prices: TokenPrices,
  { margin, hasWrites }: { margin: string; hasWrites: boolean },
): TokenRate[] {
  return prices.flatMap(tier =>
    kinds.flatMap((of): TokenRate[] => {
      const list = tier[of]
      if (list === undefined || (of === 'cache_write' && !hasWrites)) return []
      const price = `${printDollars(withMargin(list, margin))} per 1M tokens`
      return [{ of, price, ...(tier.above > 0 && { above_prompt_tokens: tier.above }) }]
    }),
  )
}
