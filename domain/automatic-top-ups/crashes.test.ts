import { afterEach, beforeEach, expect, test } from 'vitest'
import { expectLedgerToBalance } from '../../test/harness/invariants.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { aCardSystem } from '../../test/payments/a-card-system.ts'
import { openPayments } from '../stripe/open-payments.ts'
import { findDueTopUps, topUpAutomatically } from './top-up-automatically.ts'

const system = perFile(aCardSystem)
const dollar = 1_000_000_000n
const quiet = { outage: false, losesAnswers: false, chargeMs: 0 }
beforeEach(() => void system.processor.change(quiet))
afterEach(() => expectLedgerToBalance(system.context.sql))

async function stateOf(accountId: string) {
  const { sql } = system.context
  const payments = await sql<{ status: string }[]>`
    select status from payments where account_id = ${accountId} and kind = 'automatic' order by id`
  const [balance] = await sql<{ credits: bigint }[]>`
    select credits_nanos as credits from balances where account_id = ${accountId}`
  return { statuses: payments.map(({ status }) => status), dollars: (balance?.credits ?? 0n) / dollar }
}

/** Makes an account's attempts look older, in hours. */
async function age(accountId: string, hours: number): Promise<void> {
  await system.context.sql`
    update payments set created_at = created_at - make_interval(secs => ${hours * 3600}), called_at = now() - interval '2 minutes'
    where account_id = ${accountId} and kind = 'automatic'`
}

/** Lets the chore continue the attempts, and runs their jobs. */
async function resume(accountId: string): Promise<void> {
  await system.context.sql`
    update payments set called_at = now() - interval '2 minutes' where account_id = ${accountId}`
  await findDueTopUps(system.context)
  const jobs = await system.context.sql`
    select 1 from graphile_worker.jobs where key = ${`top-up-automatically:${accountId}`}`
  expect(jobs).toHaveLength(1)
  await system.run(accountId)
}

const once = { statuses: ['completed'], dollars: 55n }

async function expectOneCharge(accountId: string): Promise<void> {
  await system.deliver()
  expect(await system.charged(accountId)).toEqual([5_000])
  expect(await stateOf(accountId)).toEqual(once)
}

test('a worker that is killed after storing the attempt: the next one charges it', async () => {
  const { accountId } = await system.aToppedUpAccount({ credits: 5n })
  await system.context.sql`select open_automatic_top_up(${accountId}, 10)`
  expect(await system.charged(accountId)).toEqual([])
  await resume(accountId)
  await expectOneCharge(accountId)
})

test('a worker that is killed between the charge and its answer: the repetition charges nothing', async () => {
  const { accountId } = await system.aToppedUpAccount({ credits: 5n })
  system.processor.change({ losesAnswers: true })
  await system.run(accountId)
  expect(await stateOf(accountId)).toEqual({ statuses: ['pending'], dollars: 5n })
  system.processor.change(quiet)
  await resume(accountId)
  await expectOneCharge(accountId)
})

test('the event arrives although the answer was lost: the attempt is complete, and nothing is charged again', async () => {
  const { accountId } = await system.aToppedUpAccount({ credits: 5n })
  system.processor.change({ losesAnswers: true })
  await system.run(accountId)
  await system.deliver()
  system.processor.change(quiet)
  await system.run(accountId)
  await expectOneCharge(accountId)
})

test('a worker that dies before it stores the answer: another one continues', async () => {
  const { accountId } = await system.aToppedUpAccount({ credits: 5n })
  const { sql } = system.context
  const dying = new Proxy(sql, {
    apply(target, self, args) {
      if (String(args[0]).includes('set payment_intent_id')) throw new Error('killed')
      return Reflect.apply(target, self, args)
    },
  })
  const context = { ...system.context, payments: system.payments, sql: dying }
  await expect(topUpAutomatically(context, { accountId })).rejects.toThrow('killed')
  await resume(accountId)
  await expectOneCharge(accountId)
})

test('after Stripe has forgotten the idempotency key, a lost charge is found, not repeated', async () => {
  const { accountId } = await system.aToppedUpAccount({ credits: 5n })
  system.processor.change({ losesAnswers: true })
  await system.run(accountId)
  system.processor.change(quiet)
  await age(accountId, 25)
  const charges = () => system.processor.calls.filter(({ method, path }) => `${method} ${path}` === charge)
  const charge = 'POST /v1/payment_intents'
  const before = charges().length
  await resume(accountId)
  expect(charges()).toHaveLength(before)
  await expectOneCharge(accountId)
})

test('after Stripe has forgotten the idempotency key, an attempt without a charge fails, and another one follows', async () => {
  const { accountId } = await system.aToppedUpAccount({ credits: 5n })
  await system.context.sql`select open_automatic_top_up(${accountId}, 10)`
  await age(accountId, 25)
  await resume(accountId)
  expect(await system.charged(accountId)).toEqual([])
  expect((await stateOf(accountId)).statuses).toEqual(['failed'])
  await system.context.sql`update automatic_top_ups set retry_at = now() where account_id = ${accountId}`
  await findDueTopUps(system.context)
  await system.run(accountId)
  await system.deliver()
  expect(await system.charged(accountId)).toEqual([5_000])
  expect(await stateOf(accountId)).toEqual({ statuses: ['failed', 'completed'], dollars: 55n })
})

test('an outage of Stripe keeps the attempt; a server error that Stripe repeats is looked up after ten minutes', async () => {
  const { accountId } = await system.aToppedUpAccount({ credits: 5n })
  system.processor.change({ outage: true })
  await system.run(accountId)
  system.processor.change(quiet)
  await resume(accountId)
  expect((await stateOf(accountId)).statuses).toEqual(['pending'])
  await age(accountId, 0.2)
  await resume(accountId)
  expect((await stateOf(accountId)).statuses).toEqual(['failed'])
  expect(await system.charged(accountId)).toEqual([])
})

test('an API key that Stripe refuses after a lost answer: the attempt stays, and nothing is charged again', async () => {
  const { accountId } = await system.aToppedUpAccount({ credits: 5n })
  system.processor.change({ losesAnswers: true })
  await system.run(accountId)
  system.processor.change(quiet)
  const revoked = openPayments({ ...system.config, stripeSecretKey: 'sk_test_revoked' })
  const { sql } = system.context
  const runRevoked = () => topUpAutomatically({ ...system.context, payments: revoked }, { accountId })
  await runRevoked()
  expect((await stateOf(accountId)).statuses).toEqual(['pending'])
  await sql`update payments set payment_intent_id = 'pi_unreadable' where account_id = ${accountId}`
  await runRevoked()
  expect((await stateOf(accountId)).statuses).toEqual(['pending'])
  await sql`update payments set payment_intent_id = null where account_id = ${accountId}`
  revoked.close()
  await resume(accountId)
  await expectOneCharge(accountId)
})

test('two workers at the same moment, with separate connections, make one charge', async () => {
  const { accountId } = await system.aToppedUpAccount({ credits: 5n })
  system.processor.change({ chargeMs: 200 })
  const other = openPayments(system.config)
  const contexts = [system.payments, other, system.payments, other]
  await Promise.all(
    contexts.map(payments => topUpAutomatically({ ...system.context, payments }, { accountId })),
  )
  other.close()
  system.processor.change(quiet)
  await expectOneCharge(accountId)
})

test('duplicates and any order of events credit once, and a late decline does not undo a payment', async () => {
  const { accountId } = await system.aToppedUpAccount({ credits: 5n })
  await system.run(accountId)
  await system.deliver(ids => [...ids, ...ids].reverse())
  const [payment] = await system.context.sql<
    { id: string }[]
  >`select id from payments where account_id = ${accountId}`
  const [failed] = await system.context.sql<{ outcome: string }[]>`
    select change_payment('evt_late', 'payment_intent.payment_failed', ${accountId}, ${payment?.id ?? ''}, null, 'pi_x',
      'failed', 0, null, 'usd', 'generic_decline', 'retry') as outcome`
  expect(failed?.outcome).toBe('known')
  await expectOneCharge(accountId)
})
