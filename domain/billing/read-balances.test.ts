import { expect, test } from 'vitest'
import { systemIds } from '../../platform/ids.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { aDatabaseForThisTest } from '../../test/harness/a-database.ts'
import { readBalances } from './read-balances.ts'

test('held includes reservations in progress, but not the headroom of processes', async () => {
  const { sql } = await aDatabaseForThisTest()
  const accountId = await aBalance(sql, { creditsNanos: 10_000n, heldNanos: 900n })
  await aHold(sql, { accountId, amountNanos: 600n, inUseNanos: 50n })
  await aHold(sql, { accountId, amountNanos: 300n, inUseNanos: 300n })

  const balances = await readBalances({ sql }, { accountIds: [accountId] })

  expect(balances).toEqual([{ accountId, creditsNanos: 10_000n, heldNanos: 350n, availableNanos: 9_650n }])
})

test('each of many accounts gets its balance, and an account that never had money gets zero', async () => {
  const { sql } = await aDatabaseForThisTest()
  const rich = await aBalance(sql, { creditsNanos: 9_007_199_254_740_993n })
  const poor = await aBalance(sql, { creditsNanos: 7n })
  await aHold(sql, { accountId: rich, amountNanos: 5n, inUseNanos: 5n })
  const stranger = systemIds.uuid()

  const balances = await readBalances({ sql }, { accountIds: [rich, poor, stranger] })

  const credits = 9_007_199_254_740_993n
  expect(balances).toHaveLength(3)
  expect(balances).toContainEqual({
    accountId: rich,
    creditsNanos: credits,
    heldNanos: 5n,
    availableNanos: credits - 5n,
  })
  expect(balances).toContainEqual({ accountId: poor, creditsNanos: 7n, heldNanos: 0n, availableNanos: 7n })
  expect(balances).toContainEqual({
    accountId: stranger,
    creditsNanos: 0n,
    heldNanos: 0n,
    availableNanos: 0n,
  })
})

async function aBalance(sql: Sql, row: { creditsNanos: bigint; heldNanos?: bigint }): Promise<string> {
  const accountId = systemIds.uuid()
  await sql`insert into balances (account_id, credits_nanos, held_nanos)
    values (${accountId}, ${row.creditsNanos}, ${row.heldNanos ?? 0n})`
  return accountId
}

async function aHold(
  sql: Sql,
  row: { accountId: string; amountNanos: bigint; inUseNanos: bigint },
): Promise<void> {
  await sql`insert into holds (account_id, id, amount_nanos, in_use_nanos)
    values (${row.accountId}, ${systemIds.uuid()}, ${row.amountNanos}, ${row.inUseNanos})`
}
