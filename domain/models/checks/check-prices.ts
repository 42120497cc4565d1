import type { CatalogueEntry, ChatEntry } from '../../../schema/catalog/entry.ts'
import { type TokenRate, tokenKinds } from '../../../schema/catalog/prices.ts'
import type { ValuePath } from '../../../schema/value-path.ts'
import { readTokenTiers, type TokenTier } from '../../pricing/compile-chat-price.ts'
import { parsePrice } from '../../pricing/parse-price.ts'
import { checkMediaPrices } from './check-media-prices.ts'
import { checkPeriods, ratesByPath } from './check-periods.ts'
import { checkServiceTiers } from './check-service-tiers.ts'
import type { Report } from './report.ts'

/** Checks that every accepted request has exactly one price at any time, and that the price can be parsed. */
export function checkPrices(entry: CatalogueEntry, report: Report): void {
  const { rates, periods, surcharges } = entry.prices
  if (rates.length === 0 && !periods) report(['prices'], 'needs rates or periods')
  if (rates.length > 0 && periods) report(['prices', 'periods'], 'is instead of rates, not beside them')
  if (rates.length > 0 === (periods !== undefined)) return
  const lists: [path: ValuePath, priced: readonly { price: string }[]][] = [
    ...ratesByPath<{ price: string }>(entry.prices),
    [['prices', 'surcharges'], surcharges],
  ]
  const areParsed = lists.map(([path, priced]) => canBeParsed(priced, path, report)).every(Boolean)
  if (!areParsed || (periods && !checkPeriods(periods, report))) return
  if (entry.modality === 'chat') checkTokenPrices(entry, report)
  else checkMediaPrices(entry, report)
}

function canBeParsed(priced: readonly { price: string }[], path: ValuePath, report: Report): boolean {
  let isParsed = true
  priced.forEach(({ price }, index) => {
    try {
      parsePrice(price)
    } catch (error) {
      isParsed = false
      report([...path, index, 'price'], error instanceof Error ? error.message : String(error))
    }
  })
  return isParsed
}

function checkTokenPrices(entry: ChatEntry, report: Report): void {
  const { chat, prices } = entry
  checkServiceTiers(entry, report)
  prices.surcharges.forEach(({ price }, index) => {
    if (parsePrice(price).unit !== 'input image') {
      report(
        ['prices', 'surcharges', index, 'price'],
        'must be per input image, the only unit counted in a chat',
      )
    }
  })
  for (const [path, rates] of ratesByPath(prices))
    checkTokenRates(rates, chat.context_tokens, (within, message) => report([...path, ...within], message))
}

/**
 * Checks that input and output have a price, and each kind of token at most one per tier. Higher usage must never
 * cost less, so a longer prompt must not be cheaper, a cache read not more expensive than input, and a cache write
 * not cheaper.
 */
function checkTokenRates(rates: readonly TokenRate[], contextTokens: number, report: Report): void {
  const seen = new Set<string>()
  rates.forEach(({ of, price, above_prompt_tokens: above }, index) => {
    const key = `${of} ${above}`
    if (seen.has(key)) report([index, 'of'], `${of} has a price already`)
    seen.add(key)
    if (parsePrice(price).unit !== 'token') report([index, 'price'], 'must be per tokens')
    if (above !== undefined && above >= contextTokens) {
      report([index, 'above_prompt_tokens'], `no prompt is longer than ${contextTokens}`)
    }
  })
  const missing = (['input', 'output'] as const).filter(kind => !seen.has(`${kind} undefined`))
  for (const kind of missing) report([], `${kind} tokens have no price`)
  if (missing.length === 0) checkOrder(readTokenTiers(rates), message => report([], message))
}

function checkOrder(tiers: readonly TokenTier[], report: (message: string) => void): void {
  tiers.forEach(({ above, attos }, index) => {
    const where = Number.isFinite(above) ? ` above ${above} prompt tokens` : ''
    if (attos.cache_read > attos.input) report(`cache_read is more expensive than input${where}`)
    if (attos.cache_write < attos.input) report(`cache_write is cheaper than input${where}`)
    const below = tiers[index + 1]
    for (const kind of below ? tokenKinds : []) {
      if (below && attos[kind] < below.attos[kind]) report(`${kind} is cheaper${where} than below`)
    }
  })
}
