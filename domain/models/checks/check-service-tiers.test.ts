import { expect, test } from 'vitest'
import type { ServiceTier } from '../../../schema/catalog/prices.ts'
import { printPath } from '../../../schema/value-path.ts'
import { aChatEntry } from '../../../test/harness/a-chat-call.ts'
import { checkServiceTiers } from './check-service-tiers.ts'

const standard = { tier: 'default', price: '100 %' }
const flex = { tier: 'flex', price: '50 %' }

function faultsOf(service_tiers: ServiceTier[], { model = 'vendor_a/atlas', ...changes } = {}): string[] {
  const faults: string[] = []
  const entry = aChatEntry(model)
  checkServiceTiers(
    { ...entry, ...changes, prices: { ...entry.prices, ...changes, service_tiers } },
    (path, message) => void faults.push(`${printPath(path)}: ${message}`),
  )
  return faults
}

test('service tiers begin with the standard tier, and each has one price', () => {
  expect(faultsOf([standard, flex])).toEqual([])
  expect(faultsOf([flex, standard])).toEqual([
    'prices.service_tiers[0].price: must be 100 %: the first is the standard tier',
  ])
  expect(faultsOf([standard, flex, { ...flex, price: '60 %' }])).toEqual([
    'prices.service_tiers[2].tier: flex has a price already',
  ])
  expect(faultsOf([standard, { tier: 'auto', price: '200 %' }])).toEqual([
    'prices.service_tiers[1].tier: auto lets the vendor choose and has no price',
  ])
})

test('only formats that report the tier have prices for it', () => {
  expect(faultsOf([standard], { model: 'vendor_b/lyric' })).toEqual([
    'prices.service_tiers: answers in the format anthropic-messages report no service tier',
  ])
})

test('a price in a tier, after the discount, is a whole number of atto-dollars', () => {
  const rates = (price: string) => ['input', 'output'].map(of => ({ of, price }))
  const discounted = (price: string) =>
    faultsOf([standard, flex], { rates: rates(price), discount: '15 %' } as object)
  expect(discounted('0.00000001 per 1M tokens')).toEqual([])
  expect(discounted('0.000000001 per 1M tokens')).toEqual([
    'prices.rates[0].price: has more than eight decimals, and both service tiers and a discount',
    'prices.rates[1].price: has more than eight decimals, and both service tiers and a discount',
  ])
})
