import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dayMs } from '../../platform/clock.ts'
import { aBudget, aKeyWithCredits } from '../../test/harness/an-account.ts'
import { aRequestRecord } from '../../test/harness/ledger/a-request-record.ts'
import { theLedgers } from '../../test/harness/ledger/ledgers.ts'
import { aNewTask } from '../../test/tasks/a-task.ts'
import { directLedger } from '../committer/open-committer.ts'
import { register } from '../ledger/process-row.ts'
import { differencesOf, repairAccounts } from '../ledger/reconcile.ts'
import { reserve } from '../ledger/reserve.ts'
import { settle } from '../ledger/settle.ts'
import { finishTask } from '../tasks/finish-task.ts'
import { submitTask } from '../tasks/submit-task.ts'

const { system, first: ledger } = theLedgers()

const cent = 10_000_000n

/** A step of an account whose only key always counts in one budget. */
const steps = fc.oneof(
  fc.record({
    kind: fc.constantFrom('request', 'refunded request', 'task'),
    costNanos: fc.bigInt({ min: 0n, max: cent }),
    ageMs: fc.constantFrom(0, 0, 0, dayMs, 8 * dayMs, 40 * dayMs),
  }),
  fc.record({ kind: fc.constant('wait'), days: fc.constantFrom(1, 7, 31) }),
)

test('a budget counts like a key: requests, refunds, tasks and new periods', async () => {
  const { context } = system
  const { sql } = context
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 8 }), async history => {
      const key = await aKeyWithCredits(context)
      const budget = await aBudget(context, { ...key, limitNanos: 1_000n * cent })
      const owner = { ...key, budgets: [budget] }
      for (const step of history) {
        if ('days' in step) {
          const past = sql`counted_at = counted_at - ${`${step.days} days`}::interval`
          await sql`update key_budgets set ${past} where key_id = ${key.keyId}`
          await sql`update budgets set ${past} where id = ${budget.id}`
          continue
        }
        const { costNanos, ageMs } = step
        if (step.kind === 'task') {
          const task = aNewTask(context, key, { budgets: [budget], priceNanos: costNanos })
          await submitTask({ context, ledger: directLedger(ledger) }, task)
          await finishTask(context, task, {
            end: { status: 'success', results: [] },
          })
          continue
        }
        const record = { ...aRequestRecord(key, costNanos), startedAt: Date.now() - ageMs }
        await settle(
          ledger,
          await reserve(ledger, { ...owner, amountNanos: cent, minimumNanos: cent }),
          record,
        )
        await sql`select post_account(${key.accountId})`
        if (step.kind === 'refunded request')
          await sql`
            select refund_request(${key.accountId}, ${new Date(record.startedAt)}, ${record.requestId},
              ${context.ids.tagged('txn_')})`
      }
      const counted = sql`total_spent_nanos, held_nanos, day_spent_nanos, week_spent_nanos, month_spent_nanos`
      const [ofKey] = await sql`select ${counted} from key_budgets where key_id = ${key.keyId}`
      const [ofBudget] = await sql`select ${counted} from budgets where id = ${budget.id}`
      expect(ofBudget).toEqual(ofKey)
      // Its counters do not agree with the log, because their time was changed.
      await sql`delete from key_budgets where key_id = ${key.keyId}`
    }),
    { numRuns: 30 },
  )
})

const amount = fc.bigInt({ min: 0n, max: 10n ** 12n })
const growths = fc.record({
  credits: amount,
  limit: amount,
  spent: amount,
  held: amount,
  ask: fc
    .record({ need: amount, ahead: amount, demand: amount, share: fc.bigInt({ min: 0n, max: 100n }) })
    .map(({ need, share, ...ask }) => ({ ...ask, need: need + 1n, minimum: (need * share) / 100n })),
})

test('a hold grows within a budget as it grows within a cap of the same limit', async () => {
  await register(ledger)
  const { context } = system
  const { accountId, keyId } = await aKeyWithCredits(context)
  const budget = await aBudget(context, { accountId, limitNanos: 0n })
  const holdId = context.ids.uuid()
  await fc.assert(
    fc.asyncProperty(growths, async ({ credits, limit, spent, held, ask }) => {
      const grownBy = async (of: 'cap' | 'budget') => {
        const sql = await context.sql.reserve()
        try {
          await sql`begin`
          await sql`update balances set credits_nanos = ${credits}, held_nanos = ${held} where account_id = ${accountId}`
          const limited = sql`limit_nanos = ${limit}, total_spent_nanos = ${spent}, held_nanos = ${held}`
          if (of === 'cap') await sql`update key_budgets set ${limited} where key_id = ${keyId}`
          else await sql`update budgets set ${limited} where id = ${budget.id}`
          const amounts = `${ask.need},${ask.ahead},${ask.demand},${ask.minimum}`
          const ids = of === 'cap' ? '' : `{${budget.id}}`
          const row = `(${accountId},${holdId},${keyId},${amounts},${ids})`
          const grow =
            of === 'cap'
              ? 'grow_holds($1, array[$2::text::hold_ask])'
              : 'grow_within_budgets($1, $2::text::hold_ask)'
          const [grown] = await sql.unsafe(`select ${grow} as grants`, [ledger.processId, row])
          const { short_of: shortOf, ...grant } = grown!.grants[holdId]
          const counted = sql`select held_nanos as held from`
          const [limiter] =
            of === 'cap'
              ? await sql`${counted} key_budgets where key_id = ${keyId}`
              : await sql`${counted} budgets where id = ${budget.id}`
          const rows = await sql`
            select b.held_nanos, h.amount_nanos, h.in_use_nanos from balances b left join holds h using (account_id)
            where account_id = ${accountId}`
          return { isShort: shortOf !== null, grant, limiter, rows }
        } finally {
          await sql`rollback`
          sql.release()
        }
      }
      expect(await grownBy('budget')).toEqual(await grownBy('cap'))
    }),
  )
})

test('a comparison of the books finds wrong budgets, and a repair corrects them', async () => {
  const { context } = system
  const { sql } = context
  const key = await aKeyWithCredits(context)
  const budget = await aBudget(context, { ...key, limitNanos: 100n * cent, resetInterval: 'monthly' })
  const owner = { ...key, budgets: [budget] }
  const ends = await reserve(ledger, { ...owner, amountNanos: cent, minimumNanos: cent })
  await settle(ledger, ends, aRequestRecord(key, cent))
  const runs = await reserve(ledger, { ...owner, amountNanos: 2n * cent, minimumNanos: 2n * cent })
  const task = aNewTask(context, key, { budgets: [budget], priceNanos: 3n * cent })
  await submitTask({ context, ledger: directLedger(ledger) }, task)
  const [right] = await sql`select * from budgets where id = ${budget.id}`
  await sql`
    update budgets set held_nanos = 1, total_spent_nanos = 2, day_spent_nanos = 3, month_spent_nanos = 4
    where id = ${budget.id}`
  await sql`delete from holds where account_id = ${key.accountId} and task_id = ${task.id}`
  const faults = (await differencesOf(context, [key.accountId])).map(({ fault }) => fault)
  expect(faults).toContain('held of a budget differs from its holds')
  expect(faults).toContain('what a budget has spent differs from its transactions')
  expect(await repairAccounts(context, [key.accountId])).toEqual([])
  const [repaired] = await sql`select * from budgets where id = ${budget.id}`
  const decidedAgain = { counted_at: null, check_from_nanos: null }
  expect({ ...repaired, ...decidedAgain }).toEqual({ ...right, ...decidedAgain })
  await settle(ledger, runs, aRequestRecord(key, 2n * cent))
})
