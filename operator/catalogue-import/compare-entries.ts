import { isDeepStrictEqual } from 'node:util'
import { ATTOS_PER_NANO, parsePrice } from '../../domain/pricing/parse-price.ts'
import { periodsOf } from '../../domain/pricing/price-periods.ts'
import { parsePercent } from '../../domain/pricing/service-tiers.ts'
import type { ChatDeclaration, MediaDeclaration } from '../../schema/catalog/entry.ts'
import type { Condition, TokenRate } from '../../schema/catalog/prices.ts'
import {
  comparePrices,
  type PriceDifference,
  type PriceTier,
  printDollars,
  printKind,
} from './lists/token-prices.ts'

/** The parts of a text model that are compared, with references followed and defaults filled in. */
type TextParts = Pick<ChatDeclaration, 'chat' | 'prices'>
/** The parts of a media model that are compared. */
type MediaParts = Pick<MediaDeclaration, 'prices'> & { chat?: undefined }
export type ComparedParts = TextParts | MediaParts

/** Returns a line for each price and flag that differs: `input 2.5 → 3 per 1M tokens`. */
export function differencesOf(before: ComparedParts, after: ComparedParts): string[] {
  if (!before.chat || !after.chat) return mediaChanges(before, after).map(({ text }) => text)
  const prices = priceChanges(before, after).map(
    change => `${printKind(change)} ${change.nanos.map(printDollars).join(' → ')} per 1M tokens`,
  )
  const [known, next] = [new Map(Object.entries(before.chat)), new Map(Object.entries(after.chat))]
  const flags = [...new Set([...known.keys(), ...next.keys()])].filter(
    name => !isDeepStrictEqual(known.get(name), next.get(name)),
  )
  const print = (value: unknown) => JSON.stringify(value) ?? 'none'
  const tiers = tierChanges(before, after).map(({ text }) => text)
  return [
    ...prices,
    ...tiers,
    ...flags.map(name => `${name} ${print(known.get(name))} → ${print(next.get(name))}`),
  ]
}

/** Returns why a change needs the operator's consent: a price that moves by more than a third, or a smaller limit. */
export function concernsOf(before: ComparedParts, after: ComparedParts): string[] {
  if (!before.chat || !after.chat) {
    const moves = mediaChanges(before, after).filter(({ prices }) => movesFar(...prices))
    return moves.map(({ text }) => `moves by more than a third, ${text}`)
  }
  const moves = priceChanges(before, after).filter(({ nanos }) => movesFar(...nanos))
  const [known, next] = [before.chat, after.chat]
  const limits = (['context_tokens', 'max_output_tokens'] as const).filter(name => next[name] < known[name])
  return [
    ...moves.map(
      change =>
        `${printKind(change)} moves by more than a third, ${change.nanos.map(printDollars).join(' → ')}`,
    ),
    ...tierChanges(before, after)
      .filter(change => movesFar(...change.prices))
      .map(({ text }) => `${text} moves by more than a third`),
    ...limits.map(name => `${name} shrinks, ${known[name]} → ${next[name]}`),
  ]
}

function movesFar(old: bigint, next: bigint): boolean {
  const move = next > old ? next - old : old - next
  return move * 3n > old
}

/** A price that differs. */
interface Change {
  prices: [old: bigint, next: bigint]
  text: string
}

/** Compares service tiers: `service tier priority 200 % → 250 %`. A new tier moves no price, and a lost one all of it. */
function tierChanges(before: TextParts, after: TextParts): Change[] {
  const pricesOf = ({ prices }: TextParts) =>
    new Map((prices.service_tiers ?? []).map(({ tier, price }) => [tier, parsePercent(price)]))
  const [known, next] = [pricesOf(before), pricesOf(after)]
  return [...new Set([...known.keys(), ...next.keys()])].flatMap((tier): Change[] => {
    const [old, now] = [known.get(tier), next.get(tier)]
    if (old === now) return []
    const print = (percent: bigint | undefined) => (percent === undefined ? 'none' : `${percent} %`)
    const text = `service tier ${tier} ${print(old)} → ${print(now)}`
    return [{ prices: [old ?? now ?? 0n, now ?? 0n], text }]
  })
}

/**
 * Compares the prices of media for each condition: `0.04 per image → 0.05 per image`. A price that only one of both has
 * is 0 in the other.
 */
function mediaChanges(before: ComparedParts, after: ComparedParts): Change[] {
  const [known, next] = [mediaPrices(before), mediaPrices(after)]
  return [...new Set([...known.keys(), ...next.keys()])].flatMap((condition): Change[] => {
    const [old, now] = [known.get(condition), next.get(condition)]
    const [oldAttos, nowAttos] = [old, now].map(price => (price ? parsePrice(price).attosPerUnit : 0n))
    if (oldAttos === undefined || nowAttos === undefined || oldAttos === nowAttos) return []
    const text = `${condition}${old ?? 'no price'} → ${now ?? 'no price'}`
    return [{ prices: [oldAttos, nowAttos], text }]
  })
}

function mediaPrices({ prices }: ComparedParts): Map<string, string> {
  const rates = periodsOf<{ price: string; when?: Condition | undefined }>(prices)[0]?.rates ?? []
  return new Map(rates.map(({ when, price }) => [when ? `${JSON.stringify(when)} ` : '', price]))
}

/**
 * Compares what is charged: cached tokens without a price cost as much as input. Of an entry with periods, the period
 * whose prices differ least is compared, because a list has no periods.
 */
function priceChanges(before: TextParts, after: TextParts): PriceDifference[] {
  const next = chargedPrices(after.prices.rates)
  const changes = periodsOf(before.prices).map(({ rates }) => comparePrices(chargedPrices(rates), next))
  return changes.sort((a, b) => a.length - b.length)[0] ?? []
}

function chargedPrices(rates: readonly TokenRate[]): PriceTier[] {
  const thresholds = [...new Set(rates.map(({ above_prompt_tokens: above = 0 }) => above))].sort(
    (a, b) => a - b,
  )
  return thresholds.map(above => {
    const find = (kind: TokenRate['of']) => {
      const reached = rates.filter(({ of, above_prompt_tokens: from = 0 }) => of === kind && from <= above)
      const [rate] = reached.sort((a, b) => (b.above_prompt_tokens ?? 0) - (a.above_prompt_tokens ?? 0))
      return rate && (parsePrice(rate.price).attosPerUnit * 1_000_000n) / ATTOS_PER_NANO
    }
    const [input = 0n, output = 0n] = [find('input'), find('output')]
    return {
      above,
      input,
      output,
      cache_read: find('cache_read') ?? input,
      cache_write: find('cache_write') ?? input,
    }
  })
}
