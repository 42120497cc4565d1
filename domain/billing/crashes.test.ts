import { afterEach, expect, onTestFinished, test } from 'vitest'
import { openPostgres } from '../../platform/postgres/open-postgres.ts'
import { aSystem } from '../../test/harness/a-context.ts'
import { anAccount } from '../../test/harness/an-account.ts'
import { expectLedgerToBalance } from '../../test/harness/invariants.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { openPayments } from '../stripe/open-payments.ts'
import type { PaymentEvent, Reversal, SessionChange } from './payment-event.ts'
import { receiveEvent } from './receive-event.ts'
import { startTopUp } from './start-top-up.ts'

const system = perFile(aSystem)
afterEach(() => expectLedgerToBalance(system.context.sql))

const tenDollars = 10_000_000_000n

/** Creates a pending payment and its paid event. */
async function aPendingPayment() {
  const { sql, ids } = system.context
  const { accountId } = await anAccount(system.context, { creditNanos: 0n })
  const id = ids.tagged('pay_')
  await sql`
    insert into payments (account_id, id, amount_nanos, currency) values (${accountId}, ${id}, ${tenDollars}, 'usd')`
  const paymentIntentId = ids.tagged('pi_')
  const money = { paymentIntentId, amountCents: 1_000, currency: 'usd' }
  const session = { sessionId: ids.tagged('cs_'), payment: { accountId, id }, taxCents: undefined, ...money }
  const paid: SessionChange = { kind: 'session', change: 'paid', ...session }
  const reversal = { id: ids.tagged('re_'), ...money, amountCents: 400 }
  const refunded: Reversal = { kind: 'reversal', method: 'payment_refund', state: 'taken', ...reversal }
  return { accountId, id, paid: anEvent(paid), refunded: anEvent(refunded) }
}

function anEvent(content: NonNullable<PaymentEvent['content']>): PaymentEvent {
  return { id: system.context.ids.tagged('evt_'), type: content.kind, createdAt: new Date(), content }
}

/** Every change of a transaction at which its connection can break. */
const places: [change: string, table: string][] = [
  ['insert', 'payment_events'],
  ['insert', 'transactions'],
  ['update', 'balances'],
  ['update', 'payments'],
  ['insert', 'payment_reversals'],
  ['update', 'payment_reversals'],
  ['update', 'payment_events'],
]

/** Terminates connections that change the table, with their transaction open. Returns a function that stops this. */
async function dieAt(change: string, table: string): Promise<() => Promise<unknown>> {
  const { sql } = system.database
  await sql.unsafe(`
    create or replace function die() returns trigger language plpgsql as $$
      begin perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(5); return new; end $$;
    create trigger die after ${change} on ${table} for each row execute function die()`)
  const live = () => sql.unsafe(`drop trigger if exists die on ${table}`)
  onTestFinished(async () => void (await live()))
  return live
}

test.each(places.filter(([, table]) => table !== 'payment_reversals'))(
  'a connection that breaks at the %s of %s stores nothing of a payment, and the next delivery credits once',
  async (change, table) => {
    const { accountId, paid } = await aPendingPayment()
    const live = await dieAt(change, table)
    await deliverToDie(paid)
    expect(await stateOf(accountId)).toEqual({ status: 'pending', credits: 0n, transactions: 0 })
    await live()
    expect((await receiveEvent(system.context, paid)).outcome).toBe('credited')
    expect((await receiveEvent(system.context, paid)).outcome).toBe('duplicate')
    expect(await stateOf(accountId)).toEqual({ status: 'completed', credits: tenDollars, transactions: 1 })
  },
)

test.each(places.filter(([, table]) => table !== 'payments'))(
  'a connection that breaks at the %s of %s stores nothing of a refund, and the next delivery subtracts it once',
  async (change, table) => {
    const { accountId, paid, refunded } = await aPendingPayment()
    await receiveEvent(system.context, paid)
    const live = await dieAt(change, table)
    await deliverToDie(refunded)
    expect(await stateOf(accountId)).toMatchObject({ credits: tenDollars, transactions: 1 })
    await live()
    expect((await receiveEvent(system.context, refunded)).outcome).toBe('taken')
    expect((await receiveEvent(system.context, refunded)).outcome).toBe('duplicate')
    expect(await stateOf(accountId)).toMatchObject({ credits: 6_000_000_000n, transactions: 2 })
  },
)

/** Delivers an event over a new connection, which is not used again. */
async function deliverToDie(event: PaymentEvent): Promise<void> {
  const sql = openPostgres({ url: system.database.url, name: 'test-dying', maxConnections: 1 })
  try {
    await expect(receiveEvent({ ...system.context, sql }, event)).rejects.toThrow()
  } finally {
    await sql.end({ timeout: 1 })
  }
}

test('if the result of a commit is lost, the next delivery is a duplicate', async () => {
  const { accountId, paid } = await aPendingPayment()
  const { sql } = system.context
  const losing = new Proxy(sql, {
    apply: (target, self, args) =>
      Promise.resolve(Reflect.apply(target, self, args)).then(() => {
        throw new Error('the connection was lost')
      }),
  })
  await expect(receiveEvent({ ...system.context, sql: losing }, paid)).rejects.toThrow('lost')
  expect((await receiveEvent(system.context, paid)).outcome).toBe('duplicate')
  expect(await stateOf(accountId)).toEqual({ status: 'completed', credits: tenDollars, transactions: 1 })
})

test('if a process dies between creating the session and storing it, the same key finds the row and the same session', async () => {
  const { accountId } = await anAccount(system.context, { creditNanos: 0n })
  const sessions = new Map<string, string>()
  const payments = openPayments({ stripeSecretKey: 'sk_test_of_nobody', stripeUrl: 'http://127.0.0.1:9' })
  const client = await payments.client()
  let deaths = 1
  await system.context.sql`
    insert into stripe_customers (account_id, customer_id) values (${accountId}, ${`cus_${accountId}`})`
  client.checkout.sessions.create = Object.assign(
    async (_: unknown, options?: { idempotencyKey?: string }) => {
      const key = options?.idempotencyKey ?? ''
      const id = sessions.get(key) ?? system.context.ids.tagged('cs_')
      sessions.set(key, id)
      if (deaths-- > 0) throw new Error('killed')
      return Object.assign(Object.create(null), { id, url: `http://checkout/${id}` })
    },
  )
  const topUp = { accountId, amountNanos: tenDollars, idempotencyKey: 'mine' }
  const context = { ...system.context, payments }
  await expect(startTopUp(context, topUp)).rejects.toThrow('The card processor does not respond')
  const payment = await startTopUp(context, topUp)
  expect([...sessions.keys()]).toEqual([payment.id])
  expect(payment.checkoutUrl).toBe(`http://checkout/${sessions.get(payment.id)}`)
  payments.close()
})

test('the outcome of each event is logged, and events without a payment are logged as errors', async () => {
  const lines: [level: string, line: object][] = []
  const tell = (level: string) => (line: object) => void lines.push([level, line])
  const log = Object.assign(Object.create(system.context.log), { info: tell('info'), error: tell('error') })
  const context = { ...system.context, log }
  const { accountId, id, paid } = await aPendingPayment()
  await receiveEvent(context, paid)
  await receiveEvent(context, paid)
  const invoice = { id: 'evt_x', type: 'invoice.paid', createdAt: new Date(), content: undefined }
  await receiveEvent(context, invoice)
  const other = await aPendingPayment()
  if (other.paid.content?.kind !== 'session') throw new Error('no session')
  await receiveEvent(context, anEvent({ ...other.paid.content, amountCents: 999 }))
  expect(lines).toMatchObject([
    ['info', { event: paid.id, outcome: 'credited', accountId, paymentId: id, amountCents: 1_000 }],
    ['info', { event: paid.id, outcome: 'duplicate' }],
    ['info', { event: 'evt_x', outcome: 'ignored' }],
    ['error', { outcome: 'other_amount', accountId: other.accountId, amountCents: 999 }],
  ])
})

async function stateOf(accountId: string) {
  const { sql } = system.context
  const [payment] = await sql<
    { status: string }[]
  >`select status from payments where account_id = ${accountId}`
  const [balance] = await sql<{ credits: bigint }[]>`
    select credits_nanos as credits from balances where account_id = ${accountId}`
  const [count] = await sql<{ count: number }[]>`
    select count(*)::int as count from transactions where account_id = ${accountId}`
  return { status: payment?.status, credits: balance?.credits, transactions: count?.count }
}
