import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aSystem } from '../../test/harness/a-context.ts'
import { anAccount } from '../../test/harness/an-account.ts'
import { expectLedgerToBalance } from '../../test/harness/invariants.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { forgetEvents } from './forget-events.ts'
import type { PaymentEvent, Reversal, SessionChange } from './payment-event.ts'
import { receiveEvent } from './receive-event.ts'

const system = perFile(aSystem)

const cent = 10_000_000n

type Delivered =
  | { kind: 'session'; change: SessionChange['change']; isRight: boolean }
  | { kind: 'reversal'; number: number; state: Reversal['state']; second: number }

/** Refunds and a dispute of a payment of 100 dollars, by number, with their amounts in cents. */
const reversals = [
  { method: 'payment_refund', amountCents: 2_500 },
  { method: 'payment_refund', amountCents: 7_500 },
  { method: 'dispute', amountCents: 10_000 },
] as const

const told: fc.Arbitrary<Delivered> = fc.oneof(
  fc.record({
    kind: fc.constant('session' as const),
    change: fc.constantFrom('paid', 'paid', 'unpaid', 'failed', 'expired'),
    isRight: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('reversal' as const),
    number: fc.nat(reversals.length - 1),
    state: fc.constantFrom('taken', 'returned'),
    second: fc.nat(4),
  }),
)

/** Returns the expected final credits, in nano-dollars, for any order and number of deliveries, and a tax in cents. */
function expectedNanos(all: readonly Delivered[], taxCents: bigint): bigint {
  const isPaid = all.some(one => one.kind === 'session' && one.change === 'paid' && one.isRight)
  if (!isPaid) return 0n
  const isTaken = (number: number) => {
    const ofIt = all.flatMap(one => (one.kind === 'reversal' && one.number === number ? one : []))
    const last = Math.max(...ofIt.map(({ second }) => second))
    const states = ofIt.filter(({ second }) => second === last).map(({ state }) => state)
    return states.length > 0 && !states.includes('returned')
  }
  const shareOf = (cents: number) => (BigInt(cents) * cent * 10_000n) / (10_000n + taxCents)
  const taken = reversals.map(({ amountCents }, number) => (isTaken(number) ? shareOf(amountCents) : 0n))
  return taken.reduce((sum, share) => sum - share, 10_000n * cent)
}

/** The tax on the payment of 100 dollars, in cents. */
const tax = fc.constantFrom(0, 0, 1_900, 777)

test('for any events of Stripe, in any order and number, credits are the payments minus refunds and disputes, without tax', async () => {
  const { sql, ids } = system.context
  await fc.assert(
    fc.asyncProperty(fc.array(told, { maxLength: 8 }), fc.boolean(), tax, async (all, isAtOnce, taxCents) => {
      const { accountId } = await anAccount(system.context, { creditNanos: 0n })
      const payment = await aPendingPayment(accountId)
      const tag = ids.tagged('')
      const money = { paymentIntentId: `pi_${tag}`, currency: 'usd' }
      const eventOf = (one: Delivered, index: number): PaymentEvent => ({
        id: `evt_${tag}_${index}`,
        type: one.kind,
        createdAt: new Date(one.kind === 'reversal' ? one.second * 1000 : 0),
        content:
          one.kind === 'session'
            ? {
                ...one,
                ...money,
                sessionId: `cs_${tag}`,
                payment,
                amountCents: (one.isRight ? 10_000 : 9_999) + taxCents,
                taxCents,
              }
            : { ...one, ...money, ...reversals[one.number]!, id: `${tag}_${one.number}` },
      })
      const events = all.map(eventOf)
      const deliveries = [...events, ...events]
      if (isAtOnce) await Promise.all(deliveries.map(event => receiveEvent(system.context, event)))
      else for (const event of deliveries) await receiveEvent(system.context, event)
      const [balance] = await sql<{ credits: bigint }[]>`
        select credits_nanos as credits from balances where account_id = ${accountId}`
      expect(balance?.credits).toBe(expectedNanos(all, BigInt(taxCents)))
    }),
    { numRuns: 60 },
  )
  await expectLedgerToBalance(sql)
})

async function aPendingPayment(accountId: string) {
  const id = system.context.ids.tagged('pay_')
  await system.context.sql`
    insert into payments (account_id, id, amount_nanos, currency)
    values (${accountId}, ${id}, ${10_000n * cent}, 'usd')`
  return { accountId, id }
}

/** Creates a paid payment of 100 dollars with its event. */
async function aPayment() {
  const { ids } = system.context
  const { accountId } = await anAccount(system.context, { creditNanos: 0n })
  const payment = await aPendingPayment(accountId)
  const money = { paymentIntentId: ids.tagged('pi_'), amountCents: 10_000, currency: 'usd' }
  const session = { sessionId: ids.tagged('cs_'), payment, taxCents: 0, ...money }
  const paid = anEvent({ kind: 'session', change: 'paid', ...session })
  await receiveEvent(system.context, paid)
  return { accountId, paid, money }
}

function anEvent(content: NonNullable<PaymentEvent['content']>, second = 0): PaymentEvent {
  const id = system.context.ids.tagged('evt_')
  return { id, type: content.kind, createdAt: new Date(second * 1000), content }
}

test('a dispute that is lost, won and lost again is subtracted, returned and subtracted again, with a transaction each', async () => {
  const { sql, ids } = system.context
  const { accountId, money } = await aPayment()
  const dispute = { ...money, kind: 'reversal', method: 'dispute', id: ids.tagged('du_') } as const
  const outcomes: string[] = []
  for (const [state, second] of [
    ['taken', 1],
    ['returned', 2],
    ['taken', 3],
    ['taken', 1], // delivered late
    ['returned', 4],
    ['taken', 5],
  ] as const)
    outcomes.push((await receiveEvent(system.context, anEvent({ ...dispute, state }, second))).outcome)
  expect(outcomes).toEqual(['taken', 'returned', 'taken', 'known', 'returned', 'taken'])
  const rows = await sql<{ source: string; credits: bigint }[]>`
    select source, credits_nanos as credits from transactions
    where account_id = ${accountId} and payment_method = 'dispute' order by id`
  expect(rows.map(({ source, credits }) => [source.replace(dispute.id, 'it'), credits / cent])).toEqual([
    ['dispute:it', -10_000n],
    ['dispute:it:returned', 10_000n],
    ['dispute:it:2', -10_000n],
    ['dispute:it:2:returned', 10_000n],
    ['dispute:it:3', -10_000n],
  ])
  await expectLedgerToBalance(sql)
})

test('old events are deleted, and a later delivery of them changes nothing', async () => {
  const { sql, ids } = system.context
  const { accountId, paid, money } = await aPayment()
  const refund = { ...money, kind: 'reversal', method: 'payment_refund', id: ids.tagged('re_') } as const
  const refunded = anEvent({ ...refund, amountCents: 400, state: 'taken' })
  await receiveEvent(system.context, refunded)
  const age = (days: number, event: PaymentEvent) =>
    sql`update payment_events set received_at = now() - make_interval(days => ${days}) where id = ${event.id}`
  await age(399, paid)
  await age(401, refunded)
  expect(await forgetEvents(system.context)).toBe(1)
  await age(401, paid)
  expect(await forgetEvents(system.context)).toBe(1)

  expect((await receiveEvent(system.context, paid)).outcome).toBe('known')
  expect((await receiveEvent(system.context, refunded)).outcome).toBe('known')
  const [balance] = await sql`select credits_nanos as credits from balances where account_id = ${accountId}`
  expect(balance?.credits).toBe(9_600n * cent)
})
