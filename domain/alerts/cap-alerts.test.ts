import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { aManagedSystem } from '../../test/harness/a-management-context.ts'
import { aKeyWithCredits, anAccount, type TestKey } from '../../test/harness/an-account.ts'
import { expectLedgerToBalance } from '../../test/harness/invariants.ts'
import { aRequestRecord } from '../../test/harness/ledger/a-request-record.ts'
import { aSettledRequest } from '../../test/harness/ledger/a-settled-request.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { aNewTask } from '../../test/tasks/a-task.ts'
import { directLedger } from '../committer/open-committer.ts'
import { updateKey } from '../keys/change-key.ts'
import { createKey } from '../keys/create-key.ts'
import type { KeySettings } from '../keys/key-settings.ts'
import { closeLedger, openLedger } from '../ledger/open-ledger.ts'
import { reserve } from '../ledger/reserve.ts'
import { settle } from '../ledger/settle.ts'
import { submitTask } from '../tasks/submit-task.ts'
import type { FiredCapAlert } from './send-cap-alert.ts'

const system = perFile(aManagedSystem)
afterEach(() => expectLedgerToBalance(system.context.sql))

const dollar = 1_000_000_000n

/** A key with a cap of ten dollars, or another. */
async function aCappedKey(options: { limitNanos?: bigint; resetInterval?: string } = {}): Promise<TestKey> {
  return aKeyWithCredits(system.context, { limitNanos: 10n * dollar, ...options })
}

const charge = (key: TestKey, costNanos: bigint) => aSettledRequest(system.context.sql, { ...key, costNanos })

const change = ({ accountId, keyId }: TestKey, changes: KeySettings) =>
  updateKey(system.management(), { accountId, keyId, changes })

async function firedOf({ keyId }: Pick<TestKey, 'keyId'>): Promise<FiredCapAlert[]> {
  const jobs = await system.context.sql<{ payload: FiredCapAlert }[]>`
    select payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = 'send-cap-alert' and payload ->> 'keyId' = ${keyId} order by j.id`
  return jobs.map(({ payload }) => payload)
}

const percentsOf = async (key: Pick<TestKey, 'keyId'>) => (await firedOf(key)).map(({ percent }) => percent)

/** As if all that happened to a key had happened forty days ago. */
async function endPeriod({ keyId }: TestKey): Promise<void> {
  await system.context.sql.begin(async sql => {
    await sql`
      update key_budgets
      set counted_at = counted_at - interval '40 days', notified_period = notified_period - interval '40 days'
      where key_id = ${keyId}`
    await sql`update request_logs set created_at = created_at - interval '40 days' where api_key_id = ${keyId}`
    await sql`update usage_counters set day = day - 40 where api_key_id = ${keyId}`
  })
}

describe('a key with a cap', () => {
  test('fires an alert at 80 and at 100 percent, once each', async () => {
    const key = await aCappedKey()
    await charge(key, 8n * dollar - 1n)
    expect(await percentsOf(key)).toEqual([])
    await charge(key, 1n)
    const { accountId, keyId } = key
    expect(await firedOf(key)).toEqual([
      {
        accountId,
        keyId,
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        percent: 80,
        limitNanos: '10000000000',
        spentNanos: '8000000000',
        resetInterval: 'none',
        at: expect.any(String),
      },
    ])
    await charge(key, 1n * dollar)
    await charge(key, 1n * dollar - 1n)
    expect(await percentsOf(key)).toEqual([80])
    await charge(key, 1n)
    expect(await percentsOf(key)).toEqual([80, 100])
  })

  test('fires one alert if a charge passes both', async () => {
    const key = await aCappedKey()
    await charge(key, 10n * dollar)
    expect(await percentsOf(key)).toEqual([100])
  })

  test.each(['daily', 'weekly', 'monthly'])('fires again in each period: %s', async resetInterval => {
    const key = await aCappedKey({ resetInterval })
    await charge(key, 9n * dollar)
    await charge(key, 1n * dollar)
    await endPeriod(key)
    await charge(key, 5n * dollar)
    expect(await percentsOf(key)).toEqual([80, 100])
    for (const cost of [3n, 1n, 1n]) await charge(key, cost * dollar)
    expect(await percentsOf(key)).toEqual([80, 100, 80, 100])
  })

  test('fires in a period even if the previous one ended below 80 percent', async () => {
    const key = await aCappedKey({ resetInterval: 'daily' })
    await charge(key, 7n * dollar)
    await endPeriod(key)
    await charge(key, 7n * dollar)
    expect(await percentsOf(key)).toEqual([])
    await charge(key, 1n * dollar)
    expect(await percentsOf(key)).toEqual([80])
  })

  test('a refund reduces the spending, and an alert does not fire twice in a period', async () => {
    const { sql } = system.context
    const key = await aCappedKey({ resetInterval: 'monthly' })
    const { accountId, createdAt, id } = await charge(key, 2n * dollar)
    await charge(key, 5n * dollar)
    await sql`select refund_request(${accountId}, ${createdAt}, ${id}, 'txn_refund')`
    await charge(key, 2n * dollar)
    expect(await percentsOf(key)).toEqual([])
    const second = await charge(key, 1n * dollar)
    expect(await percentsOf(key)).toEqual([80])
    await sql`select refund_request(${accountId}, ${second.createdAt}, ${second.id}, 'txn_refund_2')`
    await charge(key, 1n * dollar)
    expect(await percentsOf(key)).toEqual([80])
  })

  test('a refund for an earlier period does not delay an alert', async () => {
    const { sql } = system.context
    const key = await aCappedKey({ resetInterval: 'monthly' })
    const { accountId, id } = await charge(key, 4n * dollar)
    await endPeriod(key)
    await charge(key, 7n * dollar)
    const [early] = await sql<{ createdAt: string }[]>`
      select created_at::text as "createdAt" from request_logs where account_id = ${accountId} and id = ${id}`
    await sql`select refund_request(${accountId}, ${early?.createdAt ?? ''}, ${id}, 'txn_early')`
    await charge(key, 1n * dollar)
    expect(await percentsOf(key)).toEqual([80])
  })
})

describe('a cap that changes', () => {
  test('is compared with the spending: a raised cap can fire again, a lowered one fires at once', async () => {
    const key = await aCappedKey()
    await charge(key, 10n * dollar)
    await change(key, { creditLimitNanos: 20n * dollar })
    expect(await percentsOf(key)).toEqual([100])
    await charge(key, 6n * dollar)
    expect(await percentsOf(key)).toEqual([100, 80])
    await change(key, { creditLimitNanos: 16n * dollar })
    expect(await percentsOf(key)).toEqual([100, 80, 100])
    await change(key, { creditLimitNanos: 15n * dollar })
    expect(await percentsOf(key)).toEqual([100, 80, 100])
  })

  test('fires nothing when removed, and fires again when set again', async () => {
    const key = await aCappedKey()
    await charge(key, 7n * dollar)
    await change(key, { creditLimitNanos: null })
    await charge(key, 7n * dollar)
    expect(await percentsOf(key)).toEqual([])
    await change(key, { creditLimitNanos: 20n * dollar })
    await charge(key, 2n * dollar)
    expect(await percentsOf(key)).toEqual([80])
  })

  test('with another interval counts the spending of that interval', async () => {
    const key = await aCappedKey()
    await charge(key, 7n * dollar)
    await endPeriod(key)
    await change(key, { creditResetInterval: 'daily' })
    await charge(key, 7n * dollar)
    expect(await percentsOf(key)).toEqual([])
    await change(key, { creditResetInterval: 'none' })
    expect(await percentsOf(key)).toEqual([100])
  })

  test('fires nothing if it is zero or unset', async () => {
    const { accountId } = await anAccount(system.context)
    for (const creditLimitNanos of [0n, null]) {
      const settings = { name: 'a key', creditLimitNanos }
      const { record } = await createKey(system.management(), { accountId, createdBy: null, settings })
      const key = { accountId, keyId: record.id, text: '' }
      await charge(key, 1n * dollar)
      await charge(key, 1n)
      expect(await percentsOf(key)).toEqual([])
    }
  })
})

test('a key from before cap alerts fires with its next charge', async () => {
  const key = await aCappedKey()
  await system.context.sql`alter table key_budgets disable trigger key_spent`
  await charge(key, 9n * dollar)
  await system.context.sql`alter table key_budgets enable trigger key_spent`
  await system.context
    .sql`update key_budgets set check_from_nanos = total_spent_nanos where key_id = ${key.keyId}`
  await charge(key, 1n)
  expect(await percentsOf(key)).toEqual([80])
})

describe('a request that exceeds the rest of the cap', () => {
  test('counts as 100 percent if at least 80 percent are spent, once for any number of refusals', async () => {
    const key = await aCappedKey()
    const ledger = await openLedger(system.context, { kind: 'edge' })
    const spend = async (costNanos: bigint) => {
      const reservation = await reserve(ledger, { ...key, amountNanos: costNanos, minimumNanos: costNanos })
      await settle(ledger, reservation, aRequestRecord(key, costNanos))
    }
    await spend(5n * dollar)
    await expect(spend(6n * dollar)).rejects.toThrow(/credit_limit/)
    await sleep(300) // an alert after a refusal is fired in the background; at 50 percent there is none
    await spend(4n * dollar)
    await expect.poll(() => percentsOf(key), { timeout: 5_000 }).toEqual([80]) // when the charge is posted
    const refusals = Array.from({ length: 20 }, () => spend(2n * dollar))
    await Promise.allSettled(refusals)
    await closeLedger(ledger)

    const another = await openLedger(system.context, { kind: 'edge' })
    const more = { ...key, amountNanos: 2n * dollar, minimumNanos: 2n * dollar }
    await expect(reserve(another, more)).rejects.toThrow()
    await expect.poll(() => percentsOf(key)).toEqual([80, 100])
    await closeLedger(another)
    await charge(key, 1n)
    expect(await percentsOf(key)).toEqual([80, 100])
  })

  test('a task that exceeds the rest does the same', async () => {
    const key = await aCappedKey({ limitNanos: dollar })
    await charge(key, (85n * dollar) / 100n)
    const ledger = await openLedger(system.context, { kind: 'edge' })
    const submitted = submitTask(
      { context: system.context, ledger: directLedger(ledger) },
      aNewTask(system.context, key, {}),
    )
    await expect(submitted).rejects.toMatchObject({ errorName: 'credit_limit_reached' })
    await expect.poll(() => percentsOf(key)).toEqual([80, 100])
    await closeLedger(ledger)
  })
})

test('many charges by two processes fire each percentage once', async () => {
  const key = await aCappedKey({ resetInterval: 'monthly' })
  const ledgers = await Promise.all([1, 2].map(() => openLedger(system.context, { kind: 'edge' })))
  const costNanos = dollar / 25n
  const settled = Array.from({ length: 250 }, async (_, turn) => {
    const ledger = ledgers[turn % 2]!
    const reservation = await reserve(ledger, { ...key, amountNanos: costNanos, minimumNanos: costNanos })
    await settle(ledger, reservation, aRequestRecord(key, costNanos))
  })
  await Promise.all(settled)
  await Promise.all(ledgers.map(closeLedger))
  expect(await percentsOf(key)).toEqual([80, 100])
})

test('a charge succeeds even if checking its cap fails, and the next charge checks it', async () => {
  const { sql } = system.context
  const key = await aCappedKey()
  await sql`alter function fire_cap_alert rename to fire_cap_alert_away`
  await charge(key, 9n * dollar)
  await sql`alter function fire_cap_alert_away rename to fire_cap_alert`
  expect(await percentsOf(key)).toEqual([])
  await charge(key, 1n)
  expect(await percentsOf(key)).toEqual([80])
})
