import { afterEach, expect, test } from 'vitest'
import { aManagedSystem } from '../../test/harness/a-management-context.ts'
import { aBudget, aKeyWithCredits } from '../../test/harness/an-account.ts'
import { expectLedgerToBalance } from '../../test/harness/invariants.ts'
import { aRequestRecord } from '../../test/harness/ledger/a-request-record.ts'
import { forThisTest, perFile } from '../../test/harness/per-file.ts'
import { deleteBudget, updateBudget } from '../budgets/change-budgets.ts'
import type { Budget, HoldOwner } from '../ledger/hold.ts'
import { closeLedger, openLedger } from '../ledger/open-ledger.ts'
import { postHolds } from '../ledger/post-holds.ts'
import { reserve } from '../ledger/reserve.ts'
import { settle } from '../ledger/settle.ts'
import type { FiredBudgetAlert } from './send-budget-alert.ts'

const system = perFile(aManagedSystem)
afterEach(() => expectLedgerToBalance(system.context.sql))

const dollar = 1_000_000_000n

/** A ledger, and a key whose requests count in a budget of ten dollars. */
async function aBudgetedKey(options: { action?: 'warn' } = {}) {
  const ledger = await openLedger(system.context, { kind: 'edge' })
  forThisTest({ close: () => closeLedger(ledger) })
  const key = await aKeyWithCredits(system.context, { creditNanos: 1_000n * dollar })
  const { accountId } = key
  const budget = await aBudget(system.context, {
    ...{ accountId, kind: 'account', key: '', value: '', ...options },
    limitNanos: 10n * dollar,
  })
  const owner: HoldOwner = { ...key, budgets: [budget] }
  const spend = async (costNanos: bigint) => {
    const reservation = await reserve(ledger, { ...owner, amountNanos: costNanos, minimumNanos: costNanos })
    await settle(ledger, reservation, aRequestRecord(key, costNanos))
    await postHolds(ledger)
  }
  return { accountId, budget, spend }
}

async function firedOf({ id }: Budget): Promise<FiredBudgetAlert[]> {
  const jobs = await system.context.sql<{ payload: FiredBudgetAlert }[]>`
    select payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = 'send-budget-alert' and payload ->> 'budgetId' = ${id} order by j.id`
  return jobs.map(({ payload }) => payload)
}

const percentsOf = async (budget: Budget) => (await firedOf(budget)).map(({ percent }) => percent)

test('a budget fires an alert at 80 and at 100 percent, once each', async () => {
  const { accountId, budget, spend } = await aBudgetedKey()
  await spend(7n * dollar)
  expect(await firedOf(budget)).toEqual([])
  await spend(dollar)
  expect(await firedOf(budget)).toEqual([
    {
      accountId,
      budgetId: budget.id,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      percent: 80,
      limitNanos: '10000000000',
      spentNanos: '8000000000',
      resetInterval: 'none',
      at: expect.any(String),
    },
  ])
  await Promise.all(Array.from({ length: 20 }, () => spend(dollar / 10n)))
  expect(await percentsOf(budget)).toEqual([80, 100])
})

test('a refused request counts as 100 percent from 80 percent on', async () => {
  const { budget, spend } = await aBudgetedKey()
  await spend(9n * dollar)
  await expect(spend(2n * dollar)).rejects.toMatchObject({ errorName: 'budget_limit_reached' })
  await expect.poll(() => percentsOf(budget)).toEqual([80, 100])
})

test('a budget that only warns fires its alerts and refuses nothing, until it is changed', async () => {
  const { accountId, budget, spend } = await aBudgetedKey({ action: 'warn' })
  for (let turn = 0; turn < 3; turn++) await spend(8n * dollar)
  expect(await percentsOf(budget)).toEqual([80, 100])
  const change = (changes: Parameters<typeof updateBudget>[1]['changes']) =>
    updateBudget(system.management(), { accountId, budgetId: budget.id, changes })
  await change({ limitNanos: 25n * dollar })
  await change({ limitNanos: 40n * dollar })
  await spend(8n * dollar)
  expect(await percentsOf(budget)).toEqual([80, 100, 80])
})

test('a deleted budget fires nothing', async () => {
  const { accountId, budget, spend } = await aBudgetedKey()
  await deleteBudget(system.management(), { accountId, budgetId: budget.id })
  await spend(20n * dollar)
  expect(await percentsOf(budget)).toEqual([])
})
