import { afterEach, beforeEach, expect, test } from 'vitest'
import { expectLedgerToBalance } from '../../test/harness/invariants.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { aCardSystem } from '../../test/payments/a-card-system.ts'
import { closeAccount } from '../closures/close-account.ts'
import { openPayments } from '../stripe/open-payments.ts'
import { detachCard } from '../stripe/saved-cards.ts'
import { topUpAutomatically } from './top-up-automatically.ts'

const system = perFile(aCardSystem)
const dollar = 1_000_000_000n
beforeEach(() => void system.processor.change({ chargeMs: 0 }))
afterEach(() => expectLedgerToBalance(system.context.sql))

async function stateOf(accountId: string) {
  const { sql } = system.context
  const attempts = await sql<{ status: string; failure: string | null }[]>`
    select status, failure from payments where account_id = ${accountId} and kind = 'automatic' order by id`
  const [balance] = await sql<{ credits: bigint }[]>`
    select credits_nanos as credits from balances where account_id = ${accountId}`
  return { attempts: [...attempts], dollars: (balance?.credits ?? 0n) / dollar }
}

const credited = { attempts: [{ status: 'completed', failure: null }], dollars: 55n }
const failedAs = (failure: string) => ({ attempts: [{ status: 'failed', failure }], dollars: 5n })

/** Runs a worker that freezes before a call to Stripe. `whileFrozen` runs during this time. */
async function runFrozen(
  accountId: string,
  { before, whileFrozen }: { before: 'create' | 'confirm'; whileFrozen: () => Promise<unknown> },
): Promise<void> {
  const payments = openPayments(system.config)
  const { paymentIntents } = await payments.client()
  const { create, confirm } = paymentIntents
  if (before === 'create')
    paymentIntents.create = async (...args) => {
      await whileFrozen()
      return create.apply(paymentIntents, args)
    }
  else
    paymentIntents.confirm = async (...args) => {
      await whileFrozen()
      return confirm.apply(paymentIntents, args)
    }
  await topUpAutomatically({ ...system.context, payments }, { accountId })
  payments.close()
}

const close = (accountId: string) => closeAccount(system.context, { accountId, reason: 'left' })

/** Makes an attempt older than the time in which it may charge the card. */
const outdate = (accountId: string) => system.context.sql`
  update payments set created_at = created_at - interval '2 hours' where account_id = ${accountId}`

test.each(['create', 'confirm'] as const)(
  'an account is closed while a worker is frozen before %s: nothing is charged',
  async before => {
    const { accountId } = await system.aToppedUpAccount({ credits: 5n })
    await runFrozen(accountId, {
      before,
      async whileFrozen() {
        await close(accountId)
        await system.run(accountId)
      },
    })
    await system.run(accountId)
    await system.deliver()
    expect(await system.charged(accountId)).toEqual([])
    expect(await stateOf(accountId)).toEqual(failedAs('account_refused'))
  },
)

test.each(['create', 'confirm'] as const)(
  'a worker thaws before %s after others have given up: only the next attempt charges',
  async before => {
    const { accountId } = await system.aToppedUpAccount({ credits: 5n })
    await runFrozen(accountId, {
      before,
      async whileFrozen() {
        await outdate(accountId)
        await system.run(accountId)
        await system.context.sql`update automatic_top_ups set retry_at = null where account_id = ${accountId}`
        await system.run(accountId)
      },
    })
    await system.deliver()
    expect(await system.charged(accountId)).toEqual([5_000])
    const failed = { status: 'failed', failure: 'not_charged' }
    expect(await stateOf(accountId)).toEqual({ attempts: [failed, ...credited.attempts], dollars: 55n })
  },
)

test('an account is closed while its bank is slow: the attempt stays until Stripe has decided, and is credited', async () => {
  const { accountId } = await system.aToppedUpAccount({ credits: 5n })
  system.processor.change({ chargeMs: 500 })
  const charging = system.run(accountId)
  const isAtBank = () => system.processor.calls.some(({ path }) => path.endsWith('/confirm'))
  await expect.poll(isAtBank).toBe(true)
  await close(accountId)
  await system.run(accountId)
  expect((await stateOf(accountId)).attempts).toEqual([{ status: 'pending', failure: null }])
  await charging
  await system.run(accountId)
  await system.deliver()
  expect(await system.charged(accountId)).toEqual([5_000])
  expect(await stateOf(accountId)).toEqual(credited)
})

test('Stripe answers after the timeout: the attempt is continued, and charged once', async () => {
  const { accountId } = await system.aToppedUpAccount({ credits: 5n })
  system.processor.change({ chargeMs: 600 })
  const payments = openPayments(system.config)
  const { paymentIntents } = await payments.client()
  const { confirm } = paymentIntents
  paymentIntents.confirm = (id, params, options) =>
    confirm.call(paymentIntents, id, params, { ...options, timeout: 100 })
  const runImpatiently = () => topUpAutomatically({ ...system.context, payments }, { accountId })
  await runImpatiently()
  await runImpatiently()
  expect((await stateOf(accountId)).attempts).toEqual([{ status: 'pending', failure: null }])
  await expect.poll(() => system.charged(accountId)).toEqual([5_000])
  await runImpatiently()
  payments.close()
  await system.deliver()
  expect(await system.charged(accountId)).toEqual([5_000])
  expect(await stateOf(accountId)).toEqual(credited)
})

test('a card that is detached before the charge: nothing is charged, and the next attempt waits', async () => {
  const { accountId } = await system.aToppedUpAccount({ credits: 5n })
  const [card] = await system.context.sql<{ id: string }[]>`
    select id from saved_cards where account_id = ${accountId}`
  const context = { ...system.context, payments: system.payments }
  await runFrozen(accountId, {
    before: 'confirm',
    whileFrozen: () => detachCard(context, { cardId: card?.id ?? '' }),
  })
  await system.run(accountId)
  expect(await system.charged(accountId)).toEqual([])
  expect(await stateOf(accountId)).toEqual(failedAs('resource_missing'))
  await system.deliver()
})

test('a second charge of a completed top-up is not credited, and is reported to the operator', async () => {
  const { accountId } = await system.aToppedUpAccount({ credits: 5n })
  await system.run(accountId)
  await system.deliver()
  const [payment] = await system.context.sql<{ id: string }[]>`
    select id from payments where account_id = ${accountId}`
  const [paid] = await system.context.sql<{ outcome: string }[]>`
    select change_payment('evt_second', 'payment_intent.succeeded', ${accountId}, ${payment?.id ?? ''}, null,
      'pi_second', 'paid', ${50n * dollar}, null, 'usd', null, null) as outcome`
  expect(paid?.outcome).toBe('other_charge')
  expect(await stateOf(accountId)).toEqual(credited)
})
