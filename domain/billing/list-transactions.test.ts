import { expect, test } from 'vitest'
import { systemClock as clock } from '../../platform/clock.ts'
import { systemIds } from '../../platform/ids.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { aDatabaseForThisTest } from '../../test/harness/a-database.ts'
import { aSettledRequest } from '../../test/harness/ledger/a-settled-request.ts'
import { countTransactions, listTransactions, type Transaction } from './list-transactions.ts'

test('a charge has the IDs of its request and key, and is negative', async () => {
  const { sql } = await aDatabaseForThisTest()
  const [accountId, keyId] = [systemIds.uuid(), systemIds.uuid()]
  const request = await aSettledRequest(sql, { accountId, keyId, costNanos: 1_500n })

  const {
    transactions: [transaction],
  } = await listTransactions({ sql, clock }, { accountId, slice: { limit: 10 } })

  expect(transaction).toMatchObject({
    creditsNanos: -1_500n,
    paymentMethod: 'usage',
    status: 'completed',
    apiKeyId: keyId,
    requestId: request.id,
    taskId: null,
  })
})

test('the newest come first, and pages by number cover each transaction once', async () => {
  const { sql } = await aDatabaseForThisTest()
  const accountId = await anAccountWithSeven(sql)
  const pageOf = async (offset: number) =>
    (await listTransactions({ sql, clock }, { accountId, slice: { limit: 3, offset } })).transactions

  const pages = await Promise.all([0, 3, 6, 9].map(pageOf))

  expect(pages.map(page => page.length)).toEqual([3, 3, 1, 0])
  expect(pages.flat().map(naming)).toEqual(['t7', 't6', 't5', 't4', 't3', 't2', 't1'])
  expect(await countTransactions({ sql }, { accountId, max: 1_000 })).toBe(7)
})

test('pages by position are complete, even while new transactions arrive', async () => {
  const { sql } = await aDatabaseForThisTest()
  const accountId = await anAccountWithSeven(sql)
  const seen: Transaction[] = []
  let after: string[] | undefined
  for (let round = 0; round < 4; round++) {
    const { transactions: page } = await listTransactions(
      { sql, clock },
      { accountId, slice: { limit: 2, after } },
    )
    seen.push(...page)
    after = page.slice(-1).map(naming)
    await aTransaction(sql, { accountId, id: `z${round}`, createdAt: new Date().toISOString() })
  }
  expect(seen.map(naming)).toEqual(['t7', 't6', 't5', 't4', 't3', 't2', 't1'])
})

test('the transactions of another account are invisible', async () => {
  const { sql } = await aDatabaseForThisTest()
  await anAccountWithSeven(sql)
  const other = systemIds.uuid()
  const { transactions } = await listTransactions({ sql, clock }, { accountId: other, slice: { limit: 10 } })
  expect(transactions).toEqual([])
  expect(await countTransactions({ sql }, { accountId: other, max: 1_000 })).toBe(0)
})

const naming = ({ id }: Transaction) => id

/** Seven transactions; t2 to t5 lie within one microsecond, t6 one microsecond later. */
async function anAccountWithSeven(sql: Sql): Promise<string> {
  const accountId = systemIds.uuid()
  const moments = ['000001', '000002', '000002', '000002', '000002', '000003', '900000']
  for (const [index, fraction] of moments.entries()) {
    await aTransaction(sql, { accountId, id: `t${index + 1}`, createdAt: `2026-03-01T10:00:00.${fraction}Z` })
  }
  return accountId
}

async function aTransaction(
  sql: Sql,
  row: { accountId: string; id: string; createdAt: string },
): Promise<void> {
  await sql`insert into transactions (account_id, id, source, credits_nanos, payment_method, status, created_at)
    values (${row.accountId}, ${row.id}, ${row.id}, 1, 'stripe', 'completed', ${row.createdAt}::text::timestamptz)`
}
