import { afterEach, describe, expect, test } from 'vitest'
import { aSystem } from '../../test/harness/a-context.ts'
import { aKeyWithCredits, type TestKey } from '../../test/harness/an-account.ts'
import { expectLedgerToBalance } from '../../test/harness/invariants.ts'
import { aRequestRecord } from '../../test/harness/ledger/a-request-record.ts'
import { aSettledRequest } from '../../test/harness/ledger/a-settled-request.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { adjustCredits, creditAccount } from '../ledger/adjust-credits.ts'
import { closeLedger, openLedger } from '../ledger/open-ledger.ts'
import { reserve } from '../ledger/reserve.ts'
import { settle } from '../ledger/settle.ts'
import { listBalanceAlerts } from './balance-alert-records.ts'
import { createBalanceAlert, deleteBalanceAlert } from './change-balance-alerts.ts'
import type { FiredBalanceAlert } from './send-balance-alert.ts'

const system = perFile(aSystem)
afterEach(() => expectLedgerToBalance(system.context.sql))

const dollar = 1_000_000_000n

/** An account with ten dollars, and a key. */
async function aTenner(): Promise<TestKey> {
  return aKeyWithCredits(system.context, { creditNanos: 10n * dollar })
}

const alertAt = (accountId: string, thresholdNanos: bigint) =>
  createBalanceAlert(system.context, { accountId, thresholdNanos })

const charge = (key: TestKey, costNanos: bigint) => aSettledRequest(system.context.sql, { ...key, costNanos })

let adjustments = 0
const adjust = (accountId: string, amountNanos: bigint) =>
  adjustCredits(system.context, {
    accountId,
    amountNanos,
    source: `by-hand:${++adjustments}`,
    reason: 'test',
  })

/** What fired of an account so far: the jobs that wait. */
async function firedOf({ accountId }: { accountId: string }): Promise<FiredBalanceAlert[]> {
  const jobs = await system.context.sql<{ payload: FiredBalanceAlert }[]>`
    select payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = 'send-balance-alert' and payload ->> 'accountId' = ${accountId} order by j.id`
  return jobs.map(({ payload }) => payload)
}

describe('an alert', () => {
  test('fires when a charge brings credits below its threshold, and reports the credits', async () => {
    const key = await aTenner()
    const { id } = await alertAt(key.accountId, 5n * dollar)
    await charge(key, 5n * dollar)
    expect(await firedOf(key)).toEqual([]) // exactly at the threshold is not below it
    await charge(key, 1n)
    expect(await firedOf(key)).toEqual([
      {
        accountId: key.accountId,
        alertId: id,
        firing: 1,
        thresholdNanos: '5000000000',
        creditsNanos: '4999999999',
        at: expect.any(String),
      },
    ])
  })

  test('fires once, until credits have reached its threshold again', async () => {
    const key = await aTenner()
    await alertAt(key.accountId, 5n * dollar)
    for (const cost of [6n, 1n, 1n]) await charge(key, cost * dollar)
    expect(await firedOf(key)).toHaveLength(1)
    await adjust(key.accountId, 3n * dollar - 1n) // a nano-dollar short of it
    await adjust(key.accountId, -1n * dollar)
    expect(await firedOf(key)).toHaveLength(1)
    await adjust(key.accountId, 1n * dollar + 1n)
    await adjust(key.accountId, -1n)
    expect((await firedOf(key)).map(({ firing }) => firing)).toEqual([1, 2])
  })

  test('that is created below its threshold waits until credits have reached it', async () => {
    const key = await aTenner()
    const { isArmed } = await alertAt(key.accountId, 20n * dollar)
    expect(isArmed).toBe(false)
    await charge(key, 1n * dollar)
    expect(await firedOf(key)).toEqual([])
    await adjust(key.accountId, 11n * dollar)
    expect((await listBalanceAlerts(system.context, key))[0]?.isArmed).toBe(true)
    await charge(key, 1n)
    expect(await firedOf(key)).toHaveLength(1)
  })

  test('of an account that never had money fires after its first top-up', async () => {
    const accountId = system.context.ids.uuid()
    await system.context.sql`insert into accounts (id, name) values (${accountId}, 'new')`
    await alertAt(accountId, 5n * dollar)
    const credit = { accountId, amountNanos: 6n * dollar, source: 'payment', paymentMethod: 'stripe' }
    await creditAccount(system.context, credit)
    expect(await firedOf({ accountId })).toEqual([])
    await adjust(accountId, -2n * dollar)
    expect(await firedOf({ accountId })).toHaveLength(1)
  })

  test('at zero fires if credits become negative, as after a refunded payment', async () => {
    const key = await aTenner()
    await alertAt(key.accountId, 0n)
    await charge(key, 10n * dollar)
    expect(await firedOf(key)).toEqual([])
    await system.context.sql.begin(async sql => {
      await sql`insert into transactions (account_id, id, source, credits_nanos, payment_method, status)
        values (${key.accountId}, 'txn_dispute', 'dispute', ${-dollar}, 'dispute', 'completed')`
      await sql`update balances set credits_nanos = credits_nanos - ${dollar} where account_id = ${key.accountId}`
    })
    expect(await firedOf(key)).toMatchObject([{ thresholdNanos: '0', creditsNanos: '-1000000000' }])
    await adjust(key.accountId, 1n * dollar)
  })

  test('is armed again by the refund of a request', async () => {
    const { sql } = system.context
    const key = await aTenner()
    await alertAt(key.accountId, 5n * dollar)
    const { accountId, createdAt, id } = await charge(key, 6n * dollar)
    await sql`select refund_request(${accountId}, ${createdAt}, ${id}, 'txn_refund')`
    expect((await listBalanceAlerts(system.context, key))[0]?.isArmed).toBe(true)
    await charge(key, 6n * dollar)
    expect(await firedOf(key)).toHaveLength(2)
  })
})

test('each of several alerts fires at its threshold, and a charge can fire several', async () => {
  const key = await aTenner()
  for (const threshold of [8n, 6n, 4n, 8n]) await alertAt(key.accountId, threshold * dollar)
  const thresholds = async () =>
    (await firedOf(key)).map(({ thresholdNanos }) => Number(thresholdNanos) / 1e9)
  await charge(key, 3n * dollar)
  expect(await thresholds()).toEqual([8, 8])
  await charge(key, 4n * dollar)
  expect((await thresholds()).toSorted()).toEqual([4, 6, 8, 8])
  await adjust(key.accountId, 3n * dollar) // 6: the two lower ones are armed again
  await charge(key, 5n * dollar)
  expect((await thresholds()).toSorted()).toEqual([4, 4, 6, 6, 8, 8])
})

test('deleting an alert while others fire does not affect them', async () => {
  const key = await aTenner()
  const [high, low] = [await alertAt(key.accountId, 8n * dollar), await alertAt(key.accountId, 2n * dollar)]
  await charge(key, 3n * dollar)
  await deleteBalanceAlert(system.context, { accountId: key.accountId, alertId: high.id })
  await charge(key, 6n * dollar)
  expect((await firedOf(key)).map(({ alertId }) => alertId)).toEqual([high.id, low.id])
})

test('alerts that are created while charges run fire once or wait, and none is lost', async () => {
  const key = await aTenner()
  const charges = Array.from({ length: 40 }, () => charge(key, dollar / 5n)) // to 2 dollars
  const creates = Array.from({ length: 20 }, (_, index) =>
    alertAt(key.accountId, (BigInt(index) * dollar) / 2n),
  )
  await Promise.all([...charges, ...creates])
  const alerts = await listBalanceAlerts(system.context, key)
  const fired = new Set((await firedOf(key)).map(({ alertId }) => alertId))
  expect(await firedOf(key)).toHaveLength(fired.size)
  for (const { thresholdNanos, isArmed } of alerts) expect(isArmed).toBe(thresholdNanos <= 2n * dollar)
  const [balance] = await system.context.sql`
    select fires_below_nanos, arms_from_nanos from balances where account_id = ${key.accountId}`
  expect(balance).toEqual({ fires_below_nanos: 2n * dollar, arms_from_nanos: (5n * dollar) / 2n })
})

test('many batches of charges by two processes fire an alert once', async () => {
  const key = await aTenner()
  await alertAt(key.accountId, 5n * dollar)
  const ledgers = await Promise.all([1, 2].map(() => openLedger(system.context, { kind: 'edge' })))
  const amount = { amountNanos: dollar / 50n, minimumNanos: dollar / 50n }
  const settled = Array.from({ length: 400 }, async (_, turn) => {
    const ledger = ledgers[turn % 2]!
    const reservation = await reserve(ledger, { ...key, ...amount })
    await settle(ledger, reservation, aRequestRecord(key, dollar / 50n))
  })
  await Promise.all(settled)
  await Promise.all(ledgers.map(closeLedger))
  expect(await firedOf(key)).toHaveLength(1)
})

test('a charge succeeds even if checking its alert fails, and the next charge checks it', async () => {
  const { sql } = system.context
  const key = await aTenner()
  await alertAt(key.accountId, 5n * dollar)
  await sql`alter function fire_balance_alerts rename to fire_balance_alerts_away`
  await charge(key, 6n * dollar)
  await sql`alter function fire_balance_alerts_away rename to fire_balance_alerts`
  expect(await firedOf(key)).toEqual([])
  await charge(key, 1n)
  expect(await firedOf(key)).toHaveLength(1)
})
