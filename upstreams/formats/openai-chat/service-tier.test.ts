import { expect, test } from 'vitest'
import { printed } from '../../../test/conversations/printed.ts'
import { aChatCall } from '../../../test/harness/a-chat-call.ts'
import { aRefusal } from '../../../test/harness/a-refusal.ts'
import { buildRequest } from './adapter.ts'

const target = { vendor: 'vendor_a', baseUrl: 'https://vendor.example/v1', apiKey: 'key' }

/** The service tier that the vendor gets from a model with prices for three tiers. */
function sent(service_tier: string | null | undefined, { byokId }: { byokId?: string } = {}) {
  const call = aChatCall({ model: 'vendor_d/quill', ...(service_tier !== undefined && { service_tier }) })
  const service_tiers = ['on_demand', 'flex', 'performance'].map(tier => ({ tier, price: '100 %' }))
  const entry = { ...call.entry, prices: { ...call.entry.prices, service_tiers } }
  return JSON.parse(printed(buildRequest({ ...call, entry }, { ...target, byokId }).body)).service_tier
}

test('the standard tier is named if the client chooses none', () => {
  for (const tier of [undefined, null, 'default', 'standard', 'on_demand'])
    expect(sent(tier)).toBe('on_demand')
})

test('a tier with a price, and the choice of the vendor, are passed on', () => {
  for (const tier of ['flex', 'performance', 'auto']) expect(sent(tier)).toBe(tier)
})

test('a tier without a price is refused, naming those with one', async () => {
  expect(await aRefusal(() => sent('priority'))).toEqual({
    problem: 'unsupported_parameter',
    param: 'service_tier',
  })
  expect(() => sent('priority')).toThrow('one of auto, on_demand, flex, performance')
})

test("nothing is added with a customer's own credential", () => {
  expect(sent(undefined, { byokId: 'own' })).toBeUndefined()
})
