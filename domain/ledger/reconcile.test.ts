import { expect, test } from 'vitest'
import { systemIds } from '../../platform/ids.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { aDatabaseForThisTest } from '../../test/harness/a-database.ts'
import { aSettledRequest } from '../../test/harness/ledger/a-settled-request.ts'
import { creditAccount } from './adjust-credits.ts'
import { reconcileAll } from './reconcile.ts'

const dollar = 1_000_000_000n

async function differencesOf(sql: Sql) {
  const found = []
  for await (const { differences } of reconcileAll({ sql }, { batch: 2 })) found.push(...differences)
  return found
}

async function anAccountWithCharges(sql: Sql) {
  const [accountId, keyId] = [systemIds.uuid(), systemIds.uuid()]
  await sql`insert into accounts (id, name) values (${accountId}, 'test')`
  await sql`insert into key_budgets (account_id, key_id) values (${accountId}, ${keyId})`
  await creditAccount(
    { sql },
    { accountId, amountNanos: 10n * dollar, source: 'one', paymentMethod: 'grant' },
  )
  const request = await aSettledRequest(sql, { accountId, keyId, costNanos: dollar })
  return { accountId, keyId, request }
}

test('correct books have no difference, for any number of accounts', async () => {
  const { sql } = await aDatabaseForThisTest()
  for (let turn = 0; turn < 7; turn++) await anAccountWithCharges(sql)
  expect(await differencesOf(sql)).toEqual([])
})

test.each([
  [
    'credits',
    (sql: Sql) => sql`update balances set credits_nanos = credits_nanos + 1`,
    'credits differ from transactions',
  ],
  ['held', (sql: Sql) => sql`update balances set held_nanos = 5`, 'held differs from holds'],
  [
    'held of a key',
    (sql: Sql) => sql`update key_budgets set held_nanos = 5`,
    'held of a key differs from its holds',
  ],
  [
    'the spend of a key',
    (sql: Sql) => sql`update key_budgets set total_spent_nanos = 5`,
    'what a key has spent differs from its transactions',
  ],
  [
    'the cost in the log',
    (sql: Sql) => sql`update request_logs set cost_nanos = 5`,
    'a request in the log differs from its transactions',
  ],
  [
    'a second charge',
    (sql: Sql) => sql`
      with again as (insert into transactions (account_id, id, source, credits_nanos, payment_method, status, request_id)
        select account_id, 'txn_2', source, 0, 'usage', 'completed', request_id from transactions where payment_method = 'usage'
        returning 1) select * from again`,
    'a request in the log differs from its transactions',
  ],
  [
    'a payment that was not credited',
    (sql: Sql) => sql`
      insert into payments (account_id, id, amount_nanos, currency, status)
      select id, 'pay_1', 5, 'usd', 'completed' from accounts`,
    'a payment differs from its transaction',
  ],
  [
    'a refund that was not taken',
    (sql: Sql) => sql`
      with paid as (insert into payments (account_id, id, amount_nanos, currency, payment_intent_id, status)
        select id, 'pay_1', 5, 'usd', 'pi_1', 'completed' from accounts),
      credited as (select change_credits(id, 'payment:pay_1', 5, 'stripe', null, false) from accounts),
      forced as (select count(*) from credited)
      insert into payment_reversals (payment_intent_id, id, kind, amount_nanos, state)
      select 'pi_1', 're_1', 'payment_refund', 3, 'taken' from forced`,
    'a refund or dispute differs from its transactions',
  ],
])('%s that is wrong is named', async (_, breakIt, fault) => {
  const { sql } = await aDatabaseForThisTest()
  const { accountId } = await anAccountWithCharges(sql)
  await breakIt(sql)
  expect(await differencesOf(sql)).toMatchObject([{ accountId, fault }])
})

test('an overspent balance is reported; one that a refund made negative is not', async () => {
  const { sql } = await aDatabaseForThisTest()
  const { accountId } = await anAccountWithCharges(sql)
  const take = (paymentMethod: string, source: string) =>
    creditAccount({ sql }, { accountId, amountNanos: -20n * dollar, source, paymentMethod })
  await take('dispute', 'two')
  expect(await differencesOf(sql)).toEqual([])
  await take('adjustment', 'three')
  expect(await differencesOf(sql)).toMatchObject([
    {
      fault: 'available below zero by more than was taken back',
      expectedNanos: -20n * dollar,
      foundNanos: -31n * dollar,
    },
  ])
})
