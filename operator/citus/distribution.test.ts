import { expect, inject, test } from 'vitest'
import { coordinatorTables, distributedTables, undistributedTables } from '../../schema/distribution.ts'
import { aDatabaseForThisTest } from '../../test/harness/a-database.ts'
import { findOnePhaseWriters, findViolations } from './find-violations.ts'

test('every table is placed, and what is distributed fits Citus', async () => {
  const { sql } = await aDatabaseForThisTest()
  expect(await findViolations(sql, { distributed: distributedTables, others: coordinatorTables })).toEqual(
    Object.keys(undistributedTables)
      .toSorted()
      .map(table => `${table}: is not placed`),
  )
})

test('functions that write journal rows commit in two phases', async () => {
  const { sql } = await aDatabaseForThisTest()
  await sql.unsafe(`
    create function log_again() returns void language plpgsql as $$ begin
      update request_logs l set status = 200;
    end $$`)
  // carry_requests writes to a log database, which is never on Citus.
  expect(await findOnePhaseWriters(sql, distributedTables)).toEqual(['carry_requests', 'log_again'])
})

// After the first phase, the rows of the coordinator are no longer locked.
test('what locks an account to read its journal waits for commits in two phases', async () => {
  const { sql } = await aDatabaseForThisTest()
  const read = () =>
    sql.begin(async reader => {
      await reader`set local lock_timeout = '50ms'`
      await reader`select await_second_phases()`
    })
  await sql.begin(async writer => {
    await writer`select commit_in_two_phases()`
    await expect(read()).rejects.toMatchObject({ code: '55P03' })
  })
  await read()
})

// What keeps the other growing tables from being distributed. The list only becomes shorter.
test('the other growing tables have the account in their keys, and some of them triggers', async () => {
  const { sql } = await aDatabaseForThisTest()
  const distributed = [...distributedTables, ...Object.keys(undistributedTables)]
  expect(await findViolations(sql, { distributed, others: coordinatorTables })).toEqual([
    'balances: has the trigger available_low',
    'balances: has the trigger credits_changed',
    'balances: the function grow_holds reads ctid',
    'balances: the function post_sums reads ctid',
    'balances: the function settle_requests reads ctid',
    'budgets: has the trigger budget_limit_changed',
    'budgets: has the trigger budget_made',
    'budgets: has the trigger budget_spent',
    'budgets: the function count_budgets reads ctid',
    'budgets: the function settle_requests reads ctid',
    'holds: the function post_accounts reads ctid',
    'holds: the function settle_requests reads ctid',
    'key_budgets: has the trigger key_budget_made',
    'key_budgets: has the trigger key_cap_changed',
    'key_budgets: has the trigger key_spent',
    'key_budgets: the function grow_holds reads ctid',
    'key_budgets: the function post_sums reads ctid',
    'key_budgets: the function settle_requests reads ctid',
    'usage_counters: has the partition usage_of_any_metadata, which is partitioned too',
    'usage_counters: has the partition usage_of_metadata, which is partitioned too',
  ])
})

test('each violation is named', async () => {
  const { sql } = await aDatabaseForThisTest()
  await sql.unsafe(`
    create table journals (account_id uuid, id uuid primary key, at timestamptz, user_id uuid references users (id));
    create unique index journals_at on journals (at, account_id);
    create table notes (id uuid primary key references journals (id));
    create function note() returns trigger language plpgsql as $$ begin return null; end $$;
    create trigger noted after insert on journals for each row execute function note();
    create table keyless (account_id uuid not null);
    create table nameless (id uuid primary key);
    create function read_row() returns void language plpgsql as $$ begin perform ctid from journals; end $$;`)
  const others = [...coordinatorTables, ...Object.keys(undistributedTables), 'notes']
  const distributed = [...distributedTables, 'journals', 'keyless', 'nameless', 'nowhere']
  expect(await findViolations(sql, { distributed, others })).toEqual([
    'journals: account_id may be null',
    'journals: has the trigger noted',
    'journals: the foreign key journals_user_id_fkey refers to users, which is on the coordinator',
    'journals: the function read_row reads ctid',
    'journals: the index journals_pkey does not contain account_id',
    'keyless: has no primary key',
    'nameless: has no account_id',
    'notes: the foreign key notes_id_fkey refers to journals, which is distributed',
    'nowhere: does not exist',
  ])
})

// Needs CITUS_URLS (docs/scaling.md).
test.runIf(inject('citusNodes').length > 0)(
  'on Citus, the distributed tables have shards on each worker',
  async () => {
    const { sql } = await aDatabaseForThisTest()
    const shards = await sql<{ name: string; workers: number }[]>`
    select s.table_name::text as name, count(distinct s.nodeport)::int as workers from citus_shards s
    where s.table_name::text = any (${[...distributedTables]}::text[]) group by 1 order by 1`
    const workers = inject('citusNodes').length - 1
    expect([...shards]).toEqual(distributedTables.toSorted().map(name => ({ name, workers })))
  },
)
