import { expect, onTestFinished, test } from 'vitest'
import { aSystem } from '../../test/harness/a-context.ts'
import { aBudget, aKeyWithCredits } from '../../test/harness/an-account.ts'
import { aRequestRecord } from '../../test/harness/ledger/a-request-record.ts'
import { forThisTest } from '../../test/harness/per-file.ts'
import type { Context } from '../context.ts'
import type { HoldOwner } from './hold.ts'
import type { Ledger } from './ledger.ts'
import { closeLedger, openLedger } from './open-ledger.ts'
import { postHolds } from './post-holds.ts'
import { reserve } from './reserve.ts'
import { settle } from './settle.ts'

const cent = 10_000_000n
const tables = ['balances', 'key_budgets', 'budgets', 'holds']
const others = 5_000

/** Postgres plans a statement of a function at most this often before it keeps a plan. */
const plannings = 6

test('plans that were made while the tables were small read no whole table later', async () => {
  const { context } = forThisTest(await aSystem())
  const ledgers = [
    await openLedger(context, { kind: 'edge' }),
    await openLedger(context, { kind: 'edge' }),
  ] as const
  onTestFinished(async () => {
    for (const ledger of ledgers) await closeLedger(ledger)
  })
  const { sql } = context
  await sql`vacuum analyze balances, key_budgets, budgets, holds`
  for (let turn = 0; turn < plannings; turn++) await useEach(context, ledgers)
  await fillTables(context, ledgers[0])
  const before = await rowsRead(context, ledgers)
  await useEach(context, ledgers)
  expect((await rowsRead(context, ledgers)) - before).toBeLessThan(others)
})

type Ledgers = readonly [Ledger, Ledger]

/** Plain growths and charges, and batches in which several holds grow and settle, with and without budgets. */
async function useEach(context: Context, [first, second]: Ledgers): Promise<void> {
  const keys = await Promise.all([aKey(context), aKey(context), aBudgetedKey(context), aBudgetedKey(context)])
  for (const key of keys) await pay(key, first)
  for (const { accountId } of keys) first.contested.add(accountId) // such a batch is not plain
  await Promise.all(keys.map(key => pay(key, first)))
  await Promise.all(keys.map(key => pay(key, second)))
  await postHolds(first)
}

async function pay(key: HoldOwner, ledger: Ledger): Promise<void> {
  const reservation = await reserve(ledger, { ...key, amountNanos: 2n * cent, minimumNanos: cent })
  await settle(ledger, reservation, aRequestRecord(key, cent))
}

/** Inserts rows, without the triggers of budgets, which take a minute. Its own reads are counted before it resolves. */
async function fillTables({ sql }: Context, { processId }: Ledger): Promise<void> {
  await sql.begin(async tx => {
    await tx`set local statement_timeout = 0`
    await tx`set local session_replication_role = replica`
    await tx`
      insert into balances (account_id, credits_nanos) select gen_random_uuid(), 0 from generate_series(1, ${others})`
    await tx`insert into key_budgets (account_id, key_id) select account_id, gen_random_uuid() from balances`
    await tx`
      insert into holds (account_id, id, key_id, process_id, amount_nanos, in_use_nanos)
      select account_id, gen_random_uuid(), key_id, ${processId}, 0, 0 from key_budgets`
    await tx`
      insert into budgets (account_id, id, kind, key, value, action, limit_nanos, reset_interval)
      select account_id, gen_random_uuid(), 'api_key', '', key_id::text, 'refuse', ${cent}::bigint, 'daily' from key_budgets`
    await tx`select pg_stat_force_next_flush()` // Postgres counts at the end of the transaction
  })
}

/** Returns the number of rows that the two ledgers have read so far. */
async function rowsRead({ sql }: Context, ledgers: Ledgers): Promise<number> {
  for (const { connection } of ledgers) {
    await connection.run(own => own`select pg_stat_force_next_flush()`)
    await connection.run(own => own`select 1`)
  }
  const [row] = await sql<{ rows: number }[]>`
    select sum(seq_tup_read + idx_tup_fetch)::float8 as rows from pg_stat_user_tables
    where relname = any (${tables}::text[])`
  return row?.rows ?? 0
}

function aKey(context: Context) {
  return aKeyWithCredits(context, { creditNanos: 1_000n * cent })
}

async function aBudgetedKey(context: Context): Promise<HoldOwner> {
  const key = await aKey(context)
  return { ...key, budgets: [await aBudget(context, { ...key, limitNanos: 100n * cent })] }
}
