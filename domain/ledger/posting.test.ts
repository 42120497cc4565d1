import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dayMs } from '../../platform/clock.ts'
import { Problem } from '../../schema/errors.ts'
import { aBudget, aKeyWithCredits, anApiKey } from '../../test/harness/an-account.ts'
import { aRequestRecord } from '../../test/harness/ledger/a-request-record.ts'
import { lapseHoldsOf, theLedgers } from '../../test/harness/ledger/ledgers.ts'
import { findLedgerFaults } from '../../test/harness/ledger-faults.ts'
import type { HoldOwner } from './hold.ts'
import { closeLedger, openLedger } from './open-ledger.ts'
import { postHolds } from './post-holds.ts'
import type { RequestRecord } from './request-record.ts'
import { reserve } from './reserve.ts'
import { settle } from './settle.ts'

const { system, first, second } = theLedgers()
const ledgers = [first, second]

const cent = 10_000_000n
/** The amount by which a reservation exceeds the cost: it is released unposted. */
const spare = 20n * cent

/** An account with two keys. Requests of the second one count in a budget. */
interface World {
  accountId: string
  owners: HoldOwner[]
  revision: bigint
}

const index = fc.constantFrom(0, 1)
const steps = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('request'),
      by: index,
      key: index,
      model: fc.constantFrom('a', 'a', 'a', 'b'),
      endUser: fc.constantFrom(null, null, null, 'ada'),
      cents: fc.integer({ min: 0, max: 15 }),
      isRefunded: fc.constantFrom(false, false, false, true),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('post'), by: index }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('interrupted post') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lapse'), by: index }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('cap'), key: index, cents: fc.integer({ min: 0, max: 60 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('months pass') }) },
)
type Step = typeof steps extends fc.Arbitrary<infer S> ? S : never

test('charges that are posted later, in any order, have the effect of charges that are posted at once', async () => {
  let collected = 0
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 2, maxLength: 14 }), async history => {
      const [later, atOnce] = [await aWorld(), await aWorld()]
      for (const step of history) {
        const outcome = await take(step, later)
        expect(await take(step, atOnce)).toBe(outcome)
        await post(atOnce)
        expect(await spendableBeyondReal(later)).toEqual([])
        expect(await readBooks(later)).toEqual(await readBooks(atOnce))
        collected += await unposted(later)
      }
      expect(await findLedgerFaults(system.context.sql)).toEqual([])
      const before = await readBooks(later)
      await post(later)
      expect(await readBooks(later)).toEqual(before)
      expect(await unposted(later)).toBe(0)
    }),
    { numRuns: 15 },
  )
  expect(collected).toBeGreaterThan(15)
}, 60_000)

test('charges and headroom of a process that dies before it posts are posted when its holds lapse', async () => {
  const { sql } = system.context
  const dying = await openLedger(system.context, { kind: 'edge' })
  for (const timer of dying.timers) clearInterval(timer) // it does not post
  const world = await aWorld()
  const owner = world.owners[1]!
  for (let turn = 0; turn < 3; turn++) {
    const reserved = await reserve(dying, { ...owner, amountNanos: spare, minimumNanos: spare })
    await settle(dying, reserved, aRequestRecord(owner, cent))
  }
  await reserve(dying, { ...owner, amountNanos: spare, minimumNanos: spare })
  expect(await unposted(world)).toBe(1)
  await lapseHoldsOf(dying)
  const amounts = sql`b.held_nanos + k.held_nanos + g.held_nanos as held, k.total_spent_nanos as key, g.day_spent_nanos as budget`
  const books = await sql`
    select b.credits_nanos as credits, ${amounts}
    from balances b join key_budgets k using (account_id) join budgets g using (account_id)
    where b.account_id = ${world.accountId} and k.key_id = ${owner.keyId}`
  expect([...books]).toEqual([{ credits: 97n * cent, held: 0n, key: 3n * cent, budget: 3n * cent }])
  expect([...(await sql`select requests from usage_totals where account_id = ${world.accountId}`)]).toEqual([
    { requests: 3n },
  ])
  await closeLedger(dying)
})

test('charges of an earlier day count in the periods that contain it, whenever they are posted', async () => {
  const { sql } = system.context
  const world = await aWorld()
  await pay(world, { by: 0, key: 1 })
  const passed = [0, 1, 6, 31].map(days => ({
    days,
    day: new Date(Date.now() - days * dayMs).toISOString().slice(0, 10),
  }))
  for (const { day } of passed) {
    await sql`
      update holds set unposted_day = ${day}, unposted_spent_nanos = ${cent}, unposted_held_nanos = ${cent},
        unposted_requests = 0
      where account_id = ${world.accountId}`
    await sql`
      update key_budgets set total_spent_nanos = 0, day_spent_nanos = 0, week_spent_nanos = 0, month_spent_nanos = 0
      where account_id = ${world.accountId}`
    const counted = () => sql`
      select day_spent_nanos as day, week_spent_nanos as week, month_spent_nanos as month
      from current_key_budgets where account_id = ${world.accountId} and key_id = ${world.owners[1]!.keyId}`
    const [periods] = await sql`
      select case when ${day}::date >= day then ${cent}::bigint else 0 end as day,
        case when ${day}::date >= week then ${cent}::bigint else 0 end as week,
        case when ${day}::date >= month then ${cent}::bigint else 0 end as month
      from current_periods`
    expect([...(await counted())]).toEqual([periods])
    await post(world)
    expect([...(await counted())]).toEqual([periods])
  }
  await sql`delete from balances where account_id = ${world.accountId}`
  await sql`delete from key_budgets where account_id = ${world.accountId}`
  await sql`delete from budgets where account_id = ${world.accountId}`
  await sql`delete from transactions where account_id = ${world.accountId}`
  await sql`delete from request_logs where account_id = ${world.accountId}`
})

test('holds are deleted only by code that posts them, or that checks that nothing is unposted', async () => {
  const deleting: string[] = []
  const root = join(import.meta.dirname, '../..')
  for (const folder of ['domain', 'schema/statements', 'worker', 'operator'])
    for (const name of await readdir(join(root, folder), { recursive: true }))
      if (/(?<!\.test)\.(ts|sql)$/.test(name)) {
        const text = await readFile(join(root, folder, name), 'utf8')
        if (/delete from holds/.test(text)) deleting.push(`${folder}/${name}`)
      }
  expect(deleting.sort()).toEqual([
    'domain/ledger/open-ledger.ts', // idle holds, if nothing is unposted
    'schema/statements/finish-task.sql', // holds of tasks collect nothing
    'schema/statements/release-holds.sql',
    'schema/statements/repair-account.sql',
  ])
})

async function aWorld(): Promise<World> {
  const { context } = system
  const key = await aKeyWithCredits(context, { creditNanos: 100n * cent, resetInterval: 'daily' })
  const other = { accountId: key.accountId, keyId: (await anApiKey(context, key)).keyId }
  const budget = await aBudget(context, { ...key, limitNanos: 60n * cent })
  return { accountId: key.accountId, owners: [key, { ...other, budgets: [budget] }], revision: 0n }
}

async function take(step: Step, world: World): Promise<string> {
  if (step.kind === 'request') return pay(world, step)
  if (step.kind === 'post') await postHolds(ledgers[step.by]!)
  else if (step.kind === 'interrupted post') await interruptPost(world)
  else if (step.kind === 'lapse') await lapseHoldsOf(ledgers[step.by]!)
  else if (step.kind === 'cap') await lowerCap(world, step)
  else await letMonthsPass(world)
  return step.kind
}

interface Payment {
  by: number
  key: number
  model?: string
  endUser?: string | null
  cents?: number
  isRefunded?: boolean
}

/** Reserves and settles a request, and refunds it if needed. */
async function pay(world: World, payment: Payment): Promise<string> {
  const { by, key, model = 'a', endUser = null, cents = 1, isRefunded = false } = payment
  const [ledger, owner] = [ledgers[by]!, world.owners[key]!]
  const amountNanos = BigInt(cents) * cent
  const record: RequestRecord = { ...aRequestRecord(owner, amountNanos), model, endUser }
  try {
    const reserved = await reserve(ledger, {
      ...owner,
      amountNanos: amountNanos + spare,
      minimumNanos: amountNanos + spare,
      keyRevision: world.revision,
      patienceMs: 800, // less than the interval of posts, so that a growth cannot wait for one
    })
    await settle(ledger, reserved, record)
  } catch (error) {
    if (error instanceof Problem) return error.errorName
    throw error
  }
  if (!isRefunded) return 'paid'
  const arrivedAt = new Date(record.startedAt)
  await system.context.sql`
    select refund_request(${world.accountId}, ${arrivedAt}, ${record.requestId}, ${system.context.ids.tagged('txn_')})`
  return 'refunded'
}

async function lowerCap(world: World, { key, cents }: { key: number; cents: number }): Promise<void> {
  world.revision++
  await system.context.sql`
    update key_budgets set limit_nanos = ${BigInt(cents) * cent}
    where account_id = ${world.accountId} and key_id = ${world.owners[key]!.keyId}`
}

/** Moves the past of an account back by 40 days, so that no period contains it. */
async function letMonthsPass({ accountId }: World): Promise<void> {
  const { sql } = system.context
  // Without time zones, the difference is immutable, as Citus requires.
  for (const table of ['request_logs', 'transactions'])
    await sql`
      update ${sql(table)} set created_at = (created_at at time zone 'UTC' - interval '40 days') at time zone 'UTC'
      where account_id = ${accountId}`
  for (const table of ['key_budgets', 'budgets'])
    await sql`update ${sql(table)} set counted_at = counted_at - interval '40 days' where account_id = ${accountId}`
  await sql`update holds set unposted_day = unposted_day - 40 where account_id = ${accountId}`
  // By way of days that nothing else has: Postgres checks each row, and an earlier move may have filled the day.
  for (const days of [40_000, -39_960])
    for (const table of ['usage_counters', 'usage_labels', 'usage_values'])
      await sql`update ${sql(table)} set day = day - ${days}::int where account_id = ${accountId}`
}

/** Posts an account in a transaction whose process dies before the commit. */
async function interruptPost({ accountId }: World): Promise<void> {
  const dying = system.context.sql.begin(async sql => {
    await sql`select post_account(${accountId})`
    await sql`select pg_terminate_backend(pg_backend_pid())`
  })
  await expect(dying).rejects.toThrow()
}

async function post({ accountId }: World): Promise<void> {
  await system.context.sql`select post_account(${accountId})`
}

async function unposted({ accountId }: World): Promise<number> {
  return (
    await system.context.sql`select from holds where account_id = ${accountId} and unposted_day is not null`
  ).length
}

/** Returns the limits of which more seems to be left, with the posted amounts only, than is left. */
async function spendableBeyondReal({ accountId }: World) {
  const { sql } = system.context
  const spent = (table: 'k' | 'c') => sql`
    spent_in_window(${sql(table)}.reset_interval, ${sql(table)}.counted_at, ${sql(table)}.day_spent_nanos,
      ${sql(table)}.week_spent_nanos, ${sql(table)}.month_spent_nanos, ${sql(table)}.total_spent_nanos, now())
    + ${sql(table)}.held_nanos`
  return [
    ...(await sql`
      select 'balance' from balances b join current_balances c using (account_id)
      where account_id = ${accountId} and b.credits_nanos - b.held_nanos > c.credits_nanos - c.held_nanos
      union all
      select 'key' from key_budgets k join current_key_budgets c using (account_id, key_id)
      where account_id = ${accountId} and ${spent('k')} < ${spent('c')}
      union all
      select 'budget' from budgets k join current_budgets c using (account_id, id)
      where account_id = ${accountId} and ${spent('k')} < ${spent('c')}`),
  ]
}

/** Returns what readers see of an account, without its IDs. */
async function readBooks({ accountId, owners }: World) {
  const { sql } = system.context
  const spent = sql`total_spent_nanos, day_spent_nanos, week_spent_nanos, month_spent_nanos`
  return {
    credits: [...(await sql`select credits_nanos from current_balances where account_id = ${accountId}`)],
    keys: [
      ...(await sql`
        select ${spent} from current_key_budgets where account_id = ${accountId} order by key_id = ${owners[0]!.keyId}`),
    ],
    budgets: [...(await sql`select ${spent} from current_budgets where account_id = ${accountId}`)],
    usage: [
      ...(await sql`
        select day::text, api_key_id = ${owners[0]!.keyId} as "isFirst", model, end_user_place, sum(requests) as requests,
          sum(failed_requests) as failed, sum(prompt_tokens) as prompt, sum(cost_nanos) as cost
        from current_usage where account_id = ${accountId} group by 1, 2, 3, 4 having sum(requests) <> 0
        order by 1, 2, 3, 4`),
    ],
  }
}
