import { isRecord } from '../../../platform/checks.ts'
import { tokenKinds } from '../../../schema/catalog/prices.ts'
import type { ListedReasoning, ListedServiceTier, ListedTextModel, Listing, ModelList } from './lists.ts'
import { isUnreadable, nanosPerMillion, type PriceTier, type TokenPrices } from './token-prices.ts'

/** The number of tokens of a reasoning budget if the list states no maximum. */
const defaultMaxBudget = 32_768

/** Returns whether JSON has the format of the `api.json` of models.dev: vendors, each with its `models`. */
export function isModelsDev(json: unknown): boolean {
  return (
    isRecord(json) && Object.values(json).some(provider => isRecord(provider) && isRecord(provider.models))
  )
}

/** Reads the `api.json` of models.dev, whose numbers are decimal text (`parseDecimalJson`). */
export function readModelsDev(json: unknown): ModelList {
  const providers = new Map(Object.entries(isRecord(json) ? json : {}))
  return {
    name: 'models.dev',
    providers: new Set(providers.keys()),
    listingOf(provider) {
      const listing: Listing = { models: [], unusable: [] }
      for (const [id, model] of Object.entries(recordIn(providers.get(provider), 'models'))) {
        const read = readModel(id, model)
        if (typeof read === 'string') listing.unusable.push({ id, reason: read })
        else listing.models.push(read)
      }
      return listing
    },
  }
}

/** Reads one model, or returns why the catalogue cannot declare it. */
function readModel(id: string, model: unknown): ListedTextModel | string {
  if (!isRecord(model)) return 'is not an object'
  if (model.status === 'deprecated') return 'is deprecated'
  const { input, output } = recordIn(model, 'modalities')
  const [reads, writes] = [textsIn(input), textsIn(output)]
  if (!reads.includes('text') || writes.join() !== 'text')
    return `turns ${reads.join(', ')} into ${writes.join(', ')}: only text has prices of tokens`
  const cost = recordIn(model, 'cost')
  const prices = readPrices(cost)
  if (typeof prices === 'string') return prices
  const limit = recordIn(model, 'limit')
  const [contextTokens, outputTokens] = [Number(limit.context), Number(limit.output)]
  if (!(contextTokens > 0) || !(outputTokens > 0)) return 'has no limits of tokens'
  const serviceTiers = readServiceTiers(model, prices[0]!)
  const audioNanos = nanosPerMillion(cost.input_audio)
  return {
    task: isEmbedding(id, model) ? 'text-embedding' : 'chat',
    id,
    name: typeof model.name === 'string' ? model.name : id,
    prices,
    contextTokens,
    outputTokens: Math.min(outputTokens, contextTokens),
    reads: new Set(reads),
    isAudioExtra: audioNanos !== undefined && audioNanos > prices[0]!.input,
    tools: model.tool_call === true,
    sampling: model.temperature !== false,
    reasoning: readReasoning(model.reasoning_options),
    ...(serviceTiers.length > 0 && { serviceTiers }),
  }
}

function isEmbedding(id: string, { family }: Record<string, unknown>): boolean {
  return /embed/.test(`${family} ${id}`)
}

/** Reads the prices, or returns why they cannot be charged. */
function readPrices(cost: Record<string, unknown>): TokenPrices | string {
  const base = readTier(cost, 0)
  if (!base || isUnreadable(cost.input_audio)) return 'has no price that can be read'
  if (cost.reasoning !== undefined && nanosPerMillion(cost.reasoning) !== base.output)
    return 'has a price of its own for reasoning'
  const listed = Array.isArray(cost.tiers) ? cost.tiers : earlierTiers(cost)
  const tiers = listed.map(tier => readTier(tier, thresholdOf(tier)))
  const read = tiers.filter(tier => tier !== undefined && tier.above > 0)
  if (read.length < tiers.length) return 'has a tier of prices that cannot be read'
  return [base, ...read.filter(tier => tier !== undefined).sort((a, b) => a.above - b.above)]
}

/** Returns the number of prompt tokens above which a tier applies; NaN if it has none. Versions of the list differ. */
function thresholdOf(tier: unknown): number {
  return Number(recordIn(tier, 'tier').size ?? recordIn(tier, 'context').min)
}

/** Reads the modes that only set a service tier. A mode whose prices have no common percentage is left out. */
function readServiceTiers(model: Record<string, unknown>, base: PriceTier): ListedServiceTier[] {
  const modes = Object.values(recordIn(recordIn(model, 'experimental'), 'modes'))
  return modes.flatMap((mode): ListedServiceTier[] => {
    const { service_tier: tier, ...others } = recordIn(recordIn(mode, 'provider'), 'body')
    const cost = readTier(recordIn(mode, 'cost'), 0)
    const percent = cost && percentOf(cost, base)
    if (typeof tier !== 'string' || Object.keys(others).length > 0 || percent === undefined) return []
    return [{ tier, percent }]
  })
}

/** Returns the prices in percent of others, if that is one whole number for all of them. */
function percentOf(cost: PriceTier, base: PriceTier): bigint | undefined {
  const percent = base.input > 0n ? (cost.input * 100n) / base.input : 0n
  const isCommon = tokenKinds.every(kind => {
    const [price, usual] = [cost[kind], base[kind]]
    return price === undefined || usual === undefined || price * 100n === usual * percent
  })
  return percent > 0n && isCommon ? percent : undefined
}

/** The tier in the earlier format of the list. */
function earlierTiers({ context_over_200k: tier }: Record<string, unknown>): unknown[] {
  return isRecord(tier) ? [{ ...tier, tier: { size: '200000' } }] : []
}

function readTier(cost: unknown, above: number): PriceTier | undefined {
  if (!isRecord(cost)) return undefined
  const [input, output] = [nanosPerMillion(cost.input), nanosPerMillion(cost.output)]
  if (input === undefined || output === undefined || Number.isNaN(above)) return undefined
  if (tokenKinds.some(kind => isUnreadable(cost[kind]))) return undefined
  return {
    above,
    input,
    output,
    cache_read: nanosPerMillion(cost.cache_read),
    cache_write: nanosPerMillion(cost.cache_write),
  }
}

function readReasoning(options: unknown): ListedReasoning | undefined {
  const given = (Array.isArray(options) ? options : []).filter(isRecord)
  const efforts = textsIn(given.find(({ type }) => type === 'effort')?.values)
  const budget = given.find(({ type }) => type === 'budget_tokens')
  const isOptional = given.some(({ type }) => type === 'toggle')
  if (efforts.length === 0 && !budget) return undefined
  return {
    ...(efforts.length > 0 && { efforts }),
    ...(budget && {
      budget: {
        min: isOptional ? 0 : Math.max(0, Number(budget.min ?? 0)),
        max: Number(budget.max ?? defaultMaxBudget),
      },
    }),
  }
}

function recordIn(value: unknown, key: string): Record<string, unknown> {
  const found = isRecord(value) ? value[key] : undefined
  return isRecord(found) ? found : {}
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(item => typeof item === 'string') : []
}
