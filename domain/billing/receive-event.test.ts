import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aSystem, type TestSystem } from '../../test/harness/a-context.ts'
import { anAccount } from '../../test/harness/an-account.ts'
import { expectLedgerToBalance } from '../../test/harness/invariants.ts'
import type { PaymentEvent, Reversal, SessionChange } from './read-event.ts'
import { receiveEvent } from './receive-event.ts'

let system: TestSystem

beforeAll(async () => {
  system = await aSystem()
})
afterAll(() => system.close())

const cent = 10_000_000n

type Told =
  | { kind: 'session'; change: SessionChange['change']; isRight: boolean }
  | { kind: 'reversal'; number: number; state: Reversal['state'] }

/** Refunds and a dispute of a payment of 100 dollars, by their number; what they take, in cents. */
const reversals = [
  { method: 'payment_refund', amountCents: 2_500 },
  { method: 'payment_refund', amountCents: 7_500 },
  { method: 'dispute', amountCents: 10_000 },
] as const

const told: fc.Arbitrary<Told> = fc.oneof(
  fc.record({
    kind: fc.constant('session' as const),
    change: fc.constantFrom('paid', 'paid', 'unpaid', 'failed', 'expired'),
    isRight: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('reversal' as const),
    number: fc.nat(reversals.length - 1),
    state: fc.constantFrom('taken', 'returned'),
  }),
)

/** What the credits must be in the end, in cents: whatever order things were told in, and how often. */
function expectedCents(all: readonly Told[]): number {
  const isPaid = all.some(one => one.kind === 'session' && one.change === 'paid' && one.isRight)
  if (!isPaid) return 0
  const isTaken = (number: number) => {
    const states = all.flatMap(one => (one.kind === 'reversal' && one.number === number ? one.state : []))
    return states.includes('taken') && !states.includes('returned')
  }
  return reversals.reduce((sum, { amountCents }, number) => sum - (isTaken(number) ? amountCents : 0), 10_000)
}

test('whatever Stripe tells, in whatever order, at once or in turn, how often ever: the credits are what was paid less what was taken back', async () => {
  const { sql, ids } = system.context
  await fc.assert(
    fc.asyncProperty(fc.array(told, { maxLength: 8 }), fc.boolean(), async (all, isAtOnce) => {
      const { accountId } = await anAccount(system.context, { creditNanos: 0n })
      const payment = { accountId, id: ids.tagged('pay_') }
      await sql`
        insert into payments (account_id, id, amount_nanos, currency)
        values (${accountId}, ${payment.id}, ${10_000n * cent}, 'usd')`
      const tag = ids.tagged('')
      const eventOf = (one: Told, index: number): PaymentEvent => ({
        id: `evt_${tag}_${index}`,
        type: one.kind,
        content:
          one.kind === 'session'
            ? {
                ...one,
                sessionId: `cs_${tag}`,
                payment,
                paymentIntentId: `pi_${tag}`,
                amountCents: one.isRight ? 10_000 : 9_999,
                currency: 'usd',
              }
            : {
                ...one,
                ...reversals[one.number]!,
                id: `${tag}_${one.number}`,
                paymentIntentId: `pi_${tag}`,
                currency: 'usd',
              },
      })
      const events = all.map(eventOf)
      const deliveries = [...events, ...events]
      if (isAtOnce) await Promise.all(deliveries.map(event => receiveEvent(system.context, event)))
      else for (const event of deliveries) await receiveEvent(system.context, event)
      const [balance] = await sql<{ credits: bigint }[]>`
        select credits_nanos as credits from balances where account_id = ${accountId}`
      expect(balance?.credits).toBe(BigInt(expectedCents(all)) * cent)
    }),
    { numRuns: 60 },
  )
  await expectLedgerToBalance(sql)
})
