import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { systemIds } from '../../platform/ids.ts'
import { openPostgres, type Sql } from '../../platform/postgres/open-postgres.ts'
import { aDatabaseForThisTest } from '../../test/harness/a-database.ts'
import { findLedgerFaults } from '../../test/harness/ledger-faults.ts'
import { creditAccount } from './adjust-credits.ts'
import { differencesOf, repairAccounts } from './reconcile.ts'

const dollar = 1_000_000_000n

interface Payer {
  accountId: string
  keyId: string
}

/** Creates an account with 10 dollars. */
async function aPayer(sql: Sql): Promise<Payer> {
  const [accountId, keyId] = [systemIds.uuid(), systemIds.uuid()]
  await sql`insert into accounts (id, name) values (${accountId}, 'test')`
  await sql`insert into key_budgets (account_id, key_id) values (${accountId}, ${keyId})`
  await creditAccount(
    { sql },
    { accountId, amountNanos: 10n * dollar, source: 'one', paymentMethod: 'grant' },
  )
  return { accountId, keyId }
}

/** Submits a task of one dollar. Returns its ID. */
async function aTask(sql: Sql, { accountId, keyId }: Payer): Promise<string> {
  const id = systemIds.tagged('task_')
  const row = JSON.stringify({
    account_id: accountId,
    id,
    request_id: id.replace('task_', 'req_'),
    api_key_id: keyId,
    kind: 'video',
    model: 'vendor_i/reel',
    vendor: 'vendor_i',
    price_nanos: dollar.toString(),
    hold_id: systemIds.uuid(),
    own_only: false,
    created_at: new Date().toISOString(),
    ends_at: new Date(Date.now() + 60_000).toISOString(),
  })
  await sql`select submit_task(${row}::text::json, '{}', 1000)`
  return id
}

async function finish(sql: Sql, { accountId }: Payer, id: string, status = 'success'): Promise<void> {
  const outcome = JSON.stringify({
    status,
    http_status: status === 'success' ? 200 : 502,
    transaction_id: systemIds.tagged('txn_'),
  })
  await sql`select finish_task(${accountId}, ${id}, array['queued'], ${outcome}::text::json)`
}

/** Creates an account with a running task and a charged one. */
async function aCustomer(sql: Sql) {
  const payer = await aPayer(sql)
  const [running, ended] = [await aTask(sql, payer), await aTask(sql, payer)]
  await finish(sql, payer, ended)
  return { ...payer, running, ended }
}

type Customer = Awaited<ReturnType<typeof aCustomer>>

async function hold(sql: Sql, { accountId, keyId }: Customer, of: { process?: string; task?: string }) {
  await sql`
    insert into holds (account_id, id, key_id, process_id, task_id, amount_nanos, in_use_nanos, created_at)
    values (${accountId}, ${systemIds.uuid()}, ${keyId}, ${of.process ?? null}, ${of.task ?? null}, 7, 7,
      now() - interval '2 minutes')`
  await sql`update balances set held_nanos = held_nanos + 7`
  await sql`update key_budgets set held_nanos = held_nanos + 7`
}

/** Deletes the hold of the running task as if it had never existed. */
async function loseHold(sql: Sql): Promise<void> {
  await sql`delete from holds`
  await sql`update balances set held_nanos = 0`
  await sql`update key_budgets set held_nanos = 0`
}

const breaks: [string, string[], (sql: Sql, of: Customer) => Promise<unknown>][] = [
  [
    'a hold of an ended task',
    ['a hold is of no task that has not ended'],
    (sql, of) => hold(sql, of, { task: of.ended }),
  ],
  [
    'a hold of a process that has ended',
    ['a hold is of a process that has ended'],
    (sql, of) => hold(sql, of, { process: systemIds.uuid() }),
  ],
  ['a running task without a hold', ['a task that has not ended differs from its hold'], loseHold],
  ['held of the account', ['held differs from holds'], sql => sql`update balances set held_nanos = 5`],
  [
    'held of a key',
    ['held of a key differs from its holds'],
    sql => sql`update key_budgets set held_nanos = 5`,
  ],
  [
    'what a key has spent',
    ['what a key has spent differs from its transactions'],
    sql => sql`update key_budgets set total_spent_nanos = 5, day_spent_nanos = 9, month_spent_nanos = 0`,
  ],
  [
    'an ended task without a log record',
    ['a charge is not in the log', 'a task that has ended differs from the log'],
    async sql => {
      await sql`delete from request_logs`
      await sql`delete from usage_totals`
    },
  ],
  [
    'an ended task without a transaction',
    [
      'a request in the log differs from its transactions',
      'a task that has ended differs from its transactions',
    ],
    async sql => {
      await sql`delete from transactions where payment_method = 'usage'`
      await sql`update balances set credits_nanos = credits_nanos + ${dollar.toString()}`
      await sql`
        update key_budgets set total_spent_nanos = 0, day_spent_nanos = 0, week_spent_nanos = 0, month_spent_nanos = 0`
    },
  ],
  [
    'an ended task of another cost',
    ['a task that has ended differs from its transactions', 'a task that has ended differs from the log'],
    (sql, { ended }) => sql`update tasks set cost_nanos = 5 where id = ${ended}`,
  ],
]

test.each(breaks)(
  '%s is found and repaired; a second repair changes nothing',
  async (_, faults, breakBooks) => {
    const { sql } = await aDatabaseForThisTest()
    const customer = await aCustomer(sql)
    const ids = [customer.accountId]
    expect(await differencesOf({ sql }, ids)).toEqual([])
    const { credits } = await balanceOf(sql)
    await breakBooks(sql, customer)
    expect((await differencesOf({ sql }, ids)).map(({ fault }) => fault).sort()).toEqual(faults)
    for (let turn = 0; turn < 2; turn++) expect(await repairAccounts({ sql }, ids)).toEqual([])
    expect(await findLedgerFaults(sql)).toEqual([])
    const counters = await sql`
    select total_spent_nanos - day_spent_nanos as day, total_spent_nanos - week_spent_nanos as week,
      total_spent_nanos - month_spent_nanos as month from key_budgets`
    expect(counters).toEqual([{ day: 0n, week: 0n, month: 0n }])
    const isUncharged = faults[0] === 'a request in the log differs from its transactions'
    expect(await balanceOf(sql)).toEqual({ credits: isUncharged ? credits + dollar : credits, held: dollar })
    await finish(sql, customer, customer.running)
    expect(await findLedgerFaults(sql)).toEqual([])
    expect((await balanceOf(sql)).held).toBe(0n)
  },
)

test('a running task stays without a hold if its price is not available; wrong credits stay', async () => {
  const { sql } = await aDatabaseForThisTest()
  const { accountId } = await aCustomer(sql)
  await loseHold(sql)
  await sql`update balances set credits_nanos = 5`
  const left = await repairAccounts({ sql }, [accountId])
  expect(left.map(({ fault }) => fault).sort()).toEqual([
    'a task that has not ended differs from its hold',
    'credits differ from transactions',
  ])
})

test('an interrupted repair changes nothing, and the next one repairs all', async () => {
  const { sql, url } = await aDatabaseForThisTest()
  const customer = await aCustomer(sql)
  const ids = [customer.accountId]
  await hold(sql, customer, { task: customer.ended })
  const before = await differencesOf({ sql }, ids)
  const dying = openPostgres({ url, name: 'dying', maxConnections: 1 })
  await sql.begin(async transaction => {
    await transaction`select 1 from key_budgets for update`
    const isInterrupted = expect(repairAccounts({ sql: dying }, ids)).rejects.toThrow()
    const blocked = () =>
      sql<{ pid: number }[]>`
        select pid from pg_stat_activity where application_name = 'dying' and wait_event_type = 'Lock'`
    await expect.poll(blocked).toHaveLength(1)
    const [{ pid } = { pid: 0 }] = await blocked()
    await sql`select pg_terminate_backend(${pid}::integer)`
    await isInterrupted
  })
  await dying.end({ timeout: 1 })
  expect(await differencesOf({ sql }, ids)).toEqual(before)
  expect(await repairAccounts({ sql }, ids)).toEqual([])
})

test('repairs while tasks start and end do not change correct books', async () => {
  const { sql } = await aDatabaseForThisTest()
  const payers = await Promise.all(Array.from({ length: 3 }, () => aPayer(sql)))
  const ids = payers.map(({ accountId }) => accountId)
  const tasks = payers.flatMap(payer =>
    Array.from({ length: 8 }, async (_, at) => {
      const id = await aTask(sql, payer)
      await finish(sql, payer, id, at % 2 === 0 ? 'success' : 'failed')
    }),
  )
  for (let turn = 0; turn < 5; turn++) expect(await repairAccounts({ sql }, ids)).toEqual([])
  await Promise.all(tasks)
  expect(await findLedgerFaults(sql)).toEqual([])
  const [{ charges } = { charges: 0 }] = await sql<{ charges: number }[]>`
    select count(*)::int as charges from transactions where payment_method = 'usage'`
  expect(charges).toBe(12)
})

async function balanceOf(sql: Sql) {
  const [row] = await sql<{ credits: bigint; held: bigint }[]>`
    select credits_nanos as credits, held_nanos as held from balances`
  return row!
}

test('a hold that collects charges during a repair keeps the sums right, before and after they are posted', async () => {
  const { sql } = await aDatabaseForThisTest()
  const payer = await aPayer(sql)
  const [processId, holdId] = [systemIds.uuid(), systemIds.uuid()]
  await sql`insert into processes (id, kind) values (${processId}, 'gateway')`
  const ask = `{"(${payer.accountId},${holdId},${payer.keyId},${dollar},0,${dollar},${dollar},)"}`
  await sql`select grow_holds(${processId}, ${ask}::text::hold_ask[])`
  const task = await aTask(sql, payer)
  await sql`delete from holds where account_id = ${payer.accountId} and task_id = ${task}`

  let repair: Promise<unknown> | undefined
  let collection: Promise<unknown> | undefined
  await sql.begin(async blocker => {
    // The repair waits for the task after it has posted the account.
    await blocker`select from tasks where id = ${task} for update`
    repair = sql`select repair_account(${payer.accountId})`.execute()
    await setTimeout(200)
    // Half of the hold is released, which is collected without a lock of the account.
    const change = `{"(${payer.accountId},${holdId},${dollar},${dollar / 2n},0,0,,0,0,0,0,0,0,0,0)"}`
    collection = sql`
      select collect_charges(${change}::text::hold_change[], '{}', (now() at time zone 'UTC')::date)`.execute()
    await setTimeout(200)
  })
  await Promise.all([repair, collection])

  expect(await findLedgerFaults(sql)).toEqual([])
  await sql`select post_account(${payer.accountId})`
  expect(await findLedgerFaults(sql)).toEqual([])
})
