import { expect, test } from 'vitest'
import { dayMs } from '../../platform/clock.ts'
import { aKeyWithCredits, type TestKey } from '../../test/harness/an-account.ts'
import { aRequestRecord } from '../../test/harness/ledger/a-request-record.ts'
import { theLedgers } from '../../test/harness/ledger/ledgers.ts'
import { reserve } from './reserve.ts'
import { settle } from './settle.ts'

const { system, first } = theLedgers()

const cent = 10_000_000n

test('a charge counts in the period of its grant, even if the request arrived in the period before', async () => {
  const key = await aDailyKey(20n * cent)
  const waited = { ...aRequestRecord(key, 15n * cent), startedAt: Date.now() - dayMs }
  await settle(first, await reserveAll(key, 15n * cent), waited)
  await expect(reserveAll(key, 6n * cent)).rejects.toMatchObject({ errorName: 'credit_limit_reached' })
  await settle(first, await reserveAll(key, 5n * cent), aRequestRecord(key, 5n * cent))
})

test('counters from the future, after a wrong clock of Postgres, do not block a key', async () => {
  const { sql } = system.context
  const key = await aDailyKey(20n * cent)
  await sql`
    update key_budgets set counted_at = clock_timestamp() + interval '75 days', day_spent_nanos = ${20n * cent}
    where key_id = ${key.keyId}`
  await settle(first, await reserveAll(key, 2n * cent), aRequestRecord(key, 2n * cent))
  await sql`select post_account(${key.accountId})`
  const [budget] = await sql`
    select day_spent_nanos as spent, counted_at <= clock_timestamp() as "isNow" from key_budgets
    where key_id = ${key.keyId}`
  expect(budget).toEqual({ spent: 2n * cent, isNow: true })
})

async function aDailyKey(limitNanos: bigint): Promise<TestKey> {
  return aKeyWithCredits(system.context, { limitNanos, resetInterval: 'daily' })
}

function reserveAll({ accountId, keyId }: TestKey, amountNanos: bigint) {
  return reserve(first, { accountId, keyId, amountNanos, minimumNanos: amountNanos, patienceMs: 0 })
}
