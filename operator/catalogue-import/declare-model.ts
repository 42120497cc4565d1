import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../../platform/checks.ts'
import { efforts } from '../../schema/catalog/chat-flags.ts'
import type { MediaRate, ServiceTier, TokenRate } from '../../schema/catalog/prices.ts'
import type { Vendor } from '../../schema/catalog/vendor.ts'
import { declareMedia } from './declare-media.ts'
import { isText, type ListedModel, type ListedReasoning, type ListedTextModel } from './lists/lists.ts'
import { type PriceTier, printDollars, type TokenPrices, withMargin } from './lists/token-prices.ts'

/** The parts of an entry that an import writes and renews. All other parts belong to the operator. */
export interface ImportedParts {
  upstream: Record<string, unknown> & { model: string }
  /** Of text models. */
  chat?: Record<string, unknown>
  /** Of media models. */
  generation?: object
  /** Of models other than chat models. */
  parameters?: { $ref: string }
  prices: { rates: (TokenRate | MediaRate)[]; service_tiers?: ServiceTier[] }
}

/** The keys of these parts. */
export const importedKeys = ['upstream', 'chat', 'generation', 'parameters', 'prices'] as const

/** Flags of families by name, from `families.yaml`. */
export type Families = Readonly<Record<string, unknown>>

/**
 * Declares a listed model: its upstream name, its flags as far as they differ from its family's, its parameters, and its
 * prices with the margin. Returns why the catalogue cannot declare it. Throws an Error if its vendor has no wire format
 * of chat.
 */
export function declareModel(
  model: ListedModel,
  options: { vendor: Vendor; families: Families; margin: string },
): ImportedParts | string {
  if (!isText(model)) return declareMedia(model, options)
  return model.task === 'chat' ? declareChat(model, options) : declareEmbedding(model, options)
}

/** Maximum number of inputs of a request for embeddings. */
const maxInputs = 2_048
/** Maximum tokens of all inputs of a request at OpenAI. Other vendors publish a limit of a single input only. */
const openAiInputTokens = 300_000

function declareEmbedding(
  model: ListedTextModel,
  { vendor, margin }: { vendor: Vendor; margin: string },
): ImportedParts | string {
  if (vendor.adapter !== 'openai-chat') return `makes embeddings, for which ${vendor.adapter} has no format`
  const isOpenAi = vendor.label === 'vendor_a'
  const [{ input }] = model.prices as [PriceTier]
  return {
    upstream: { model: model.id, adapter: 'openai-embeddings' },
    chat: {
      $ref: '../families.yaml#/openai-embeddings',
      ...(!isOpenAi && { cache_isolation: 'salt' }),
      context_tokens: isOpenAi ? openAiInputTokens : model.contextTokens * maxInputs,
      max_output_tokens: 1,
      default_output_tokens: 1,
    },
    parameters: { $ref: '../parameters/embeddings.yaml#/plain' },
    prices: { rates: ratesOf([{ above: 0, input, output: 0n }], { margin, hasWrites: false }) },
  }
}

function declareChat(
  model: ListedTextModel,
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
    prices: {
      rates: ratesOf(model.prices, { margin, hasWrites: vendor.adapter === 'anthropic-messages' }),
      ...serviceTiersOf(model, vendor),
    },
  }
}

/** Declares the service tiers of OpenAI. The standard tiers of other vendors have names that no list has. */
function serviceTiersOf({ serviceTiers }: ListedTextModel, { label, adapter }: Vendor) {
  if (!serviceTiers || label !== 'vendor_a' || adapter !== 'openai-chat') return {}
  const listed = serviceTiers.map(({ tier, percent }) => ({ tier, price: `${percent} %` }))
  return { service_tiers: [{ tier: 'default', price: '100 %' }, ...listed] }
}

/** Returns the digest by which the next import recognises that an operator has changed these parts. */
export function digestOf(parts: Partial<Record<keyof ImportedParts, unknown>>): string {
  const kept = Object.fromEntries(importedKeys.map(key => [key, parts[key]]))
  const text = JSON.stringify(kept, (_, value: unknown) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  )
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}

function familyOf({ sampling, reasoning }: ListedTextModel, { label, adapter }: Vendor): string {
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

function flagsOf(model: ListedTextModel, vendor: Vendor, family: Record<string, unknown>) {
  const { reads, isAudioExtra, outputTokens, contextTokens } = model
  const typical = model.reasoning ? typicalTokens.reasoning : typicalTokens.other
  return {
    vision: reads.has('image'),
    documents: reads.has('pdf'),
    audio: reads.has('audio') && family.audio === true && !isAudioExtra,
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
