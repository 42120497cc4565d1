import { afterEach, beforeEach, expect, test } from 'vitest'
import { expectLedgerToBalance } from '../../test/harness/invariants.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { aCardSystem } from '../../test/payments/a-card-system.ts'
import { openPayments } from '../stripe/open-payments.ts'
import { findDueTopUps, topUpAutomatically } from './top-up-automatically.ts'

const system = perFile(aCardSystem)
const dollar = 1_000_000_000n
const quiet = { outage: false, losesAnswers: false, failsAfterwards: false, limits: false, chargeMs: 0 }
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

/** Charges an account's card while Stripe fails in this way, but creates the charge. */
async function runWithFault(accountId: string, fault: 'losesAnswers' | 'failsAfterwards'): Promise<void> {
  const { paymentIntents } = await system.payments.client()
  const { confirm } = paymentIntents
  paymentIntents.confirm = (...args) => {
    system.processor.change({ [fault]: true })
    return confirm.apply(paymentIntents, args)
  }
  await system.run(accountId)
  paymentIntents.confirm = confirm
  system.processor.change(quiet)
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

test('the answer to the creation of the charge is lost: the charge is created and confirmed once', async () => {
  const { accountId } = await system.aToppedUpAccount({ credits: 5n })
  system.processor.change({ losesAnswers: true })
  await system.run(accountId)
  expect(await stateOf(accountId)).toEqual({ statuses: ['pending'], dollars: 5n })
  system.processor.change(quiet)
  await resume(accountId)
  await expectOneCharge(accountId)
})

test.each(['losesAnswers', 'failsAfterwards'] as const)(
  '%s when the card is charged: the repetition charges nothing',
  async fault => {
    const { accountId } = await system.aToppedUpAccount({ credits: 5n })
    await runWithFault(accountId, fault)
    expect(await stateOf(accountId)).toEqual({ statuses: ['pending'], dollars: 5n })
    await resume(accountId)
    await expectOneCharge(accountId)
  },
)

test('the event arrives although the answer was lost: the attempt is complete, and nothing is charged again', async () => {
  const { accountId } = await system.aToppedUpAccount({ credits: 5n })
  await runWithFault(accountId, 'losesAnswers')
  await system.deliver()
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

test('a charge is credited without its event after ten minutes, and the late event changes nothing', async () => {
  const { accountId } = await system.aToppedUpAccount({ credits: 5n })
  await runWithFault(accountId, 'losesAnswers')
  await resume(accountId)
  expect(await stateOf(accountId)).toEqual({ statuses: ['pending'], dollars: 5n })
  await age(accountId, 25)
  await resume(accountId)
  expect(await stateOf(accountId)).toEqual(once)
  expect(await system.deliver()).toContain('known')
  await expectOneCharge(accountId)
})

test('an attempt of which nothing was charged for an hour is cancelled, and another one follows', async () => {
  const { accountId } = await system.aToppedUpAccount({ credits: 5n })
  system.processor.change({ limits: true })
  await system.run(accountId)
  system.processor.change(quiet)
  await age(accountId, 1.1)
  await resume(accountId)
  expect((await stateOf(accountId)).statuses).toEqual(['failed'])
  await system.context.sql`update automatic_top_ups set retry_at = now() where account_id = ${accountId}`
  await findDueTopUps(system.context)
  await system.run(accountId)
  await system.deliver()
  expect(await system.charged(accountId)).toEqual([5_000])
  expect(await stateOf(accountId)).toEqual({ statuses: ['failed', 'completed'], dollars: 55n })
})

test.each(['outage', 'limits'] as const)(
  '%s of Stripe keeps the attempt, which is charged afterwards',
  async fault => {
    const { accountId } = await system.aToppedUpAccount({ credits: 5n })
    system.processor.change({ [fault]: true })
    await system.run(accountId)
    system.processor.change(quiet)
    expect((await stateOf(accountId)).statuses).toEqual(['pending'])
    await resume(accountId)
    await expectOneCharge(accountId)
  },
)

test('Stripe answers 500 although it has created, then charged: nothing is charged again', async () => {
  const { accountId } = await system.aToppedUpAccount({ credits: 5n })
  system.processor.change({ failsAfterwards: true })
  await system.run(accountId)
  await resume(accountId)
  system.processor.change(quiet)
  await resume(accountId)
  await expectOneCharge(accountId)
})

test('an API key that Stripe refuses after a lost answer: the attempt stays, and nothing is charged again', async () => {
  const { accountId } = await system.aToppedUpAccount({ credits: 5n })
  await runWithFault(accountId, 'losesAnswers')
  const [stored] = await system.context.sql<{ intent: string }[]>`
    select payment_intent_id as intent from payments where account_id = ${accountId}`
  const revoked = openPayments({ ...system.config, stripeSecretKey: 'sk_test_revoked' })
  const { sql } = system.context
  const runRevoked = () => topUpAutomatically({ ...system.context, payments: revoked }, { accountId })
  await runRevoked()
  expect((await stateOf(accountId)).statuses).toEqual(['pending'])
  await sql`update payments set payment_intent_id = 'pi_unreadable' where account_id = ${accountId}`
  await runRevoked()
  expect((await stateOf(accountId)).statuses).toEqual(['pending'])
  await sql`update payments set payment_intent_id = ${stored?.intent ?? ''} where account_id = ${accountId}`
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
