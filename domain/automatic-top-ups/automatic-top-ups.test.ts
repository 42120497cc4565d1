import { afterEach, beforeEach, expect, test } from 'vitest'
import { expectLedgerToBalance } from '../../test/harness/invariants.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { aCardSystem } from '../../test/payments/a-card-system.ts'
import { findPayments } from '../billing/payment-records.ts'
import { startTopUp } from '../billing/start-top-up.ts'
import { readSavedCard, removeSavedCard } from '../stripe/saved-cards.ts'
import { readAutomaticTopUp } from './automatic-top-up.ts'
import { changeAutomaticTopUp } from './change-automatic-top-up.ts'
import { findDueTopUps } from './top-up-automatically.ts'

const system = perFile(aCardSystem)
const dollar = 1_000_000_000n
beforeEach(() => void system.processor.change({ outage: false, losesAnswers: false }))
afterEach(() => expectLedgerToBalance(system.context.sql))

async function creditsOf(accountId: string): Promise<bigint> {
  const [row] = await system.context.sql<{ credits: bigint }[]>`
    select credits_nanos as credits from balances where account_id = ${accountId}`
  return (row?.credits ?? 0n) / dollar
}

async function attemptsOf(accountId: string) {
  return [
    ...(await system.context.sql<{ id: string; status: string; failure: string | null }[]>`
      select id, status, failure from payments where account_id = ${accountId} and kind = 'automatic' order by id`),
  ]
}

/** The number of waiting jobs that top the account up, which a worker would run. */
async function jobsOf(accountId: string): Promise<number> {
  const [row] = await system.context.sql<{ count: number }[]>`
    select count(*)::int as count from graphile_worker.jobs where key = ${`top-up-automatically:${accountId}`}`
  return row?.count ?? 0
}

test('credits that fall below the threshold request one top-up, however many charges follow', async () => {
  const { accountId } = await system.aToppedUpAccount()
  await system.spend(accountId, 9n)
  expect(await jobsOf(accountId)).toBe(0)
  await Promise.all([1n, 1n, 1n, 1n].map(dollars => system.spend(accountId, dollars)))
  expect(await jobsOf(accountId)).toBe(1)
  await system.run(accountId)
  expect(await system.charged(accountId)).toEqual([5_000])
  expect(await creditsOf(accountId)).toBe(7n)
  expect(await system.deliver()).toContain('credited')
  expect(await creditsOf(accountId)).toBe(57n)
  expect(await attemptsOf(accountId)).toMatchObject([{ status: 'completed' }])
})

test('reservations count, headroom of processes does not', async () => {
  const { sql, ids } = system.context
  const { accountId } = await system.aToppedUpAccount()
  const hold = async (inUse: bigint) => {
    const id = ids.uuid()
    await sql.begin(async transaction => {
      await transaction`
        insert into holds (account_id, id, process_id, amount_nanos, in_use_nanos)
        values (${accountId}, ${id}, null, ${12n * dollar}, ${inUse * dollar})`
      await transaction`update balances set held_nanos = held_nanos + ${12n * dollar} where account_id = ${accountId}`
    })
    return async () => {
      await sql`delete from holds where account_id = ${accountId} and id = ${id}`
      await sql`update balances set held_nanos = held_nanos - ${12n * dollar} where account_id = ${accountId}`
    }
  }
  const releaseHeadroom = await hold(1n)
  expect(await jobsOf(accountId)).toBe(0)
  await releaseHeadroom()
  const release = await hold(11n)
  expect(await jobsOf(accountId)).toBe(1)
  await release()
})

test('a threshold above the available credits tops up at once; a top-up that is too small is followed by another', async () => {
  const { accountId } = await system.aToppedUpAccount({
    change: { thresholdNanos: 60n * dollar, amountNanos: 25n * dollar },
  })
  expect(await jobsOf(accountId)).toBe(1)
  await system.context.sql`select graphile_worker.remove_job(${`top-up-automatically:${accountId}`})`
  await system.run(accountId)
  await system.deliver()
  expect(await jobsOf(accountId)).toBe(1)
  await system.run(accountId)
  await system.deliver()
  expect(await creditsOf(accountId)).toBe(70n)
})

test('the maximum of a day counts attempts in progress and ends at midnight UTC', async () => {
  const { sql } = system.context
  const { accountId } = await system.aToppedUpAccount({
    credits: 5n,
    change: { dailyMaxNanos: 120n * dollar },
  })
  for (let turn = 0; turn < 3; turn++) {
    await system.run(accountId)
    await system.run(accountId) // the one in progress
    await system.deliver()
    await system.spend(accountId, 50n)
  }
  await system.run(accountId)
  expect(await system.charged(accountId)).toEqual([5_000, 5_000])
  const { retryAt } = await readAutomaticTopUp(system.context, { accountId })
  expect(retryAt?.toISOString()).toMatch(/T00:00:00.000Z$/)
  await sql`update payments set completed_at = completed_at - interval '1 day' where account_id = ${accountId}`
  await sql`update automatic_top_ups set retry_at = now() where account_id = ${accountId}`
  await findDueTopUps(system.context)
  await system.run(accountId)
  expect(await system.charged(accountId)).toHaveLength(3)
  await system.deliver()
})

test('declines are retried after an hour and a day; the third in a row switches it off and notifies once', async () => {
  const { sql } = system.context
  const { accountId } = await system.aToppedUpAccount({ credits: 5n, last4: '0341' })
  const delays: number[] = []
  for (let turn = 0; turn < 3; turn++) {
    await system.run(accountId)
    await system.deliver()
    await system.run(accountId) // too early
    const { retryAt } = await readAutomaticTopUp(system.context, { accountId })
    if (retryAt) delays.push(Math.round((retryAt.getTime() - Date.now()) / 3_600_000))
    await sql`update automatic_top_ups set retry_at = now() where account_id = ${accountId} and retry_at is not null`
    await findDueTopUps(system.context)
  }
  expect(delays).toEqual([1, 24])
  const failed = { status: 'failed', failure: 'generic_decline' }
  expect(await attemptsOf(accountId)).toMatchObject([failed, failed, failed])
  expect(await readAutomaticTopUp(system.context, { accountId })).toMatchObject({
    isOn: false,
    stopReason: 'declined',
  })
  const keys = (await attemptsOf(accountId)).map(({ id }) => `send-top-up-notice:${id}`)
  const notices = await sql`select 1 from graphile_worker.jobs where key = any (${keys})`
  expect(notices).toHaveLength(1)
  expect(await creditsOf(accountId)).toBe(5n)
})

test.each([
  ['9987', 'lost_card', 'declined'],
  ['3184', 'authentication_required', 'authentication_required'],
])('the card %s is charged once and switches it off', async (last4, failure, stopReason) => {
  const { accountId } = await system.aToppedUpAccount({ credits: 5n, last4 })
  await system.run(accountId)
  await system.run(accountId)
  await findDueTopUps(system.context)
  await system.run(accountId)
  await system.deliver()
  expect(await attemptsOf(accountId)).toMatchObject([{ status: 'failed', failure }])
  expect(await readAutomaticTopUp(system.context, { accountId })).toMatchObject({ isOn: false, stopReason })
})

test('a payment on the page of the notice switches it on again with the card of that payment', async () => {
  const { accountId } = await system.aToppedUpAccount({ credits: 5n, last4: '3184' })
  await system.run(accountId)
  await system.context.sql`
    update saved_cards set saved_at = saved_at - interval '1 minute' where account_id = ${accountId}`
  const context = { ...system.context, payments: system.payments }
  const topUp = { accountId, amountNanos: 50n * dollar, savesCard: true, resumesAutomatic: true }
  const { checkoutUrl } = await startTopUp(context, topUp)
  await fetch(`${checkoutUrl}/pay`, { method: 'POST', redirect: 'manual' })
  await system.deliver(ids => ids.reverse())
  expect(await creditsOf(accountId)).toBe(55n)
  expect(await readAutomaticTopUp(context, { accountId })).toMatchObject({ isOn: true, stopReason: null })
  expect(await readSavedCard(context, { accountId })).toMatchObject({ last4: '4242' })
  await system.spend(accountId, 50n)
  await system.run(accountId)
  await system.deliver()
  expect(await creditsOf(accountId)).toBe(55n)
})

test('a suspended account is not charged, not even if its attempt was stored before', async () => {
  const { sql } = system.context
  const { accountId } = await system.aToppedUpAccount({ credits: 5n })
  const suspend = (at: Date | null) => sql`update accounts set suspended_at = ${at} where id = ${accountId}`
  await suspend(new Date())
  await system.run(accountId)
  expect(await attemptsOf(accountId)).toEqual([])
  await suspend(null)
  await sql`select open_automatic_top_up(${accountId}, 10)`
  await suspend(new Date())
  await system.run(accountId)
  expect(await attemptsOf(accountId)).toMatchObject([{ status: 'failed', failure: 'account_refused' }])
  expect(await system.charged(accountId)).toEqual([])
})

test('a removed card switches it off and is detached; it cannot be switched on without a card', async () => {
  const { accountId } = await system.aToppedUpAccount({ credits: 5n })
  await removeSavedCard(system.context, { accountId })
  await system.run(accountId)
  expect(await attemptsOf(accountId)).toEqual([])
  expect(await readAutomaticTopUp(system.context, { accountId })).toMatchObject({
    isOn: false,
    stopReason: 'card_removed',
  })
  await expect(changeAutomaticTopUp(system.context, { accountId, change: { isOn: true } })).rejects.toThrow(
    'isEnabled requires a saved card',
  )
})

test('refunds and disputes of automatic top-ups are taken from the credits', async () => {
  const { accountId } = await system.aToppedUpAccount({ credits: 5n })
  await system.run(accountId)
  const [attempt] = await attemptsOf(accountId)
  const client = await system.payments.client()
  const [row] = await system.context.sql<{ intent: string }[]>`
    select payment_intent_id as intent from payments where account_id = ${accountId}`
  await client.refunds.create({ payment_intent: row?.intent ?? '', amount: 2_000 })
  await system.deliver(ids => ids.reverse()) // the refund arrives before its payment
  expect(await creditsOf(accountId)).toBe(35n)
  expect(await findPayments(system.context, { accountId, ids: [attempt?.id ?? ''] })).toMatchObject([
    { kind: 'automatic', status: 'completed', receiptUrl: expect.stringContaining('/receipts/') },
  ])
})
