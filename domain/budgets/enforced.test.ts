import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { dayMs } from '../../platform/clock.ts'
import { aBudget, aKeyWithCredits, anApiKey } from '../../test/harness/an-account.ts'
import { balanceOf } from '../../test/harness/invariants.ts'
import { aRequestRecord } from '../../test/harness/ledger/a-request-record.ts'
import { lapseHoldsOf, theLedgers } from '../../test/harness/ledger/ledgers.ts'
import { extendReservation } from '../ledger/extend-reservation.ts'
import type { HoldOwner } from '../ledger/hold.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { renewReservation } from '../ledger/renew-reservation.ts'
import { reserve } from '../ledger/reserve.ts'
import { settle } from '../ledger/settle.ts'

const { system, first, second } = theLedgers()

const cent = 10_000_000n
const reached = { errorName: 'budget_limit_reached' }

test('a hundred requests at once, with two keys and in two processes, spend no more than the budget', async () => {
  const { context } = system
  for (let round = 0; round < 5; round++) {
    const { accountId, keyId } = await aKeyWithCredits(context, { creditNanos: 1_000n * cent })
    const keyIds = [keyId, (await anApiKey(context, { accountId })).keyId]
    const team = await aBudget(context, { accountId, limitNanos: 10n * cent })
    const user = await aBudget(context, {
      accountId,
      kind: 'end_user',
      key: '',
      value: 'ada',
      limitNanos: 3n * cent,
    })
    const outcomes = await Promise.allSettled(
      Array.from({ length: 100 }, async (_, turn) => {
        await sleep(Math.random() * 20)
        const budgets = turn % 5 === 0 ? [team, user] : [team]
        const owner = { accountId, keyId: keyIds[turn % 2]!, budgets }
        await run(turn % 3 ? first : second, owner, cent)
      }),
    )
    const refused = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason] : []))
    expect(new Set(refused.map(error => error.errorName))).toEqual(new Set([reached.errorName]))
    expect(refused.length).toBe(90)
    expect(await spentOf(team.id)).toEqual({ spent: 10n * cent, held: 0n })
    expect((await spentOf(user.id)).spent).toBeLessThanOrEqual(3n * cent)
    expect((await balanceOf(context.sql, accountId)).credits).toBe(990n * cent)
  }
}, 60_000)

test('a request that exceeds a budget is refused at once, and the error names the budget', async () => {
  const { accountId, keyId } = await aKeyWithCredits(system.context)
  const team = await aBudget(system.context, { accountId, limitNanos: 5n * cent })
  const user = await aBudget(system.context, {
    ...{ accountId, kind: 'end_user' as const, key: '', value: 'a "quoted"\nuser' },
    limitNanos: 4n * cent,
  })
  const budgets = [team, user]
  const began = Date.now()
  await expect(reserveWhole(first, { accountId, keyId, budgets }, 6n * cent)).rejects.toMatchObject({
    ...reached,
    status: 402,
    message:
      'The budget of the tag "team" with the value "search" has reached its limit for the current period, including amounts reserved by requests in progress.',
  })
  await expect(reserveWhole(first, { accountId, keyId, budgets }, 5n * cent)).rejects.toMatchObject({
    message: expect.stringContaining('the end user "a \\"quoted\\"\\nuser"'),
  })
  expect(Date.now() - began).toBeLessThan(1_000)
  await run(first, { accountId, keyId }, 6n * cent)
})

test('a budget leaves what it has to a request that can start with less', async () => {
  const { accountId, keyId } = await aKeyWithCredits(system.context)
  const budgets = [await aBudget(system.context, { accountId, limitNanos: 5n * cent })]
  const owner = { accountId, keyId, budgets }
  const reservation = await reserve(first, { ...owner, amountNanos: 2n * cent, minimumNanos: cent })
  expect(await extendReservation(first, reservation, { moreNanos: 8n * cent, minimumNanos: cent })).toBe(
    3n * cent,
  )
  await expect(reserveWhole(second, owner, cent)).rejects.toMatchObject(reached)
  expect(await settle(first, reservation, aRequestRecord(owner, 5n * cent))).toBe(5n * cent)
})

test('a request waits for the part of a budget that others return', async () => {
  const { accountId, keyId } = await aKeyWithCredits(system.context)
  const owner = {
    accountId,
    keyId,
    budgets: [await aBudget(system.context, { accountId, limitNanos: 5n * cent })],
  }
  const earlier = await reserveWhole(first, owner, 5n * cent)
  const later = reserve(second, { ...owner, amountNanos: 3n * cent, minimumNanos: 3n * cent })
  await sleep(50)
  await settle(first, earlier, aRequestRecord(owner, 2n * cent))
  await settle(second, await later, aRequestRecord(owner, 3n * cent))
  expect(await spentOf(owner.budgets[0]!.id)).toEqual({ spent: 5n * cent, held: 0n })
})

test('headroom is small near the limit of a budget', async () => {
  const { accountId, keyId } = await aKeyWithCredits(system.context, { creditNanos: 1_000_000n * cent })
  const owner = {
    accountId,
    keyId,
    budgets: [await aBudget(system.context, { accountId, limitNanos: 101n * cent })],
  }
  const reservation = await reserveWhole(first, owner, cent)
  expect((await spentOf(owner.budgets[0]!.id)).held).toBe(2n * cent)
  await settle(first, reservation, aRequestRecord(owner, cent))
})

test('a lowered limit applies to money that was granted before', async () => {
  const { sql } = system.context
  const { accountId, keyId } = await aKeyWithCredits(system.context, { creditNanos: 1_000_000n * cent })
  const budget = await aBudget(system.context, { accountId, limitNanos: 10_000n * cent })
  const owner = { accountId, keyId, budgets: [budget] }
  await settle(
    first,
    await reserveWhole(first, { ...owner, keyRevision: 1n }, cent),
    aRequestRecord(owner, cent),
  )
  expect((await spentOf(budget.id)).held).toBeGreaterThan(0n)
  const waiting = await reserveWhole(first, { ...owner, keyRevision: 1n }, cent)
  await sql`update budgets set limit_nanos = ${cent} where id = ${budget.id}`
  await expect(reserveWhole(first, { ...owner, keyRevision: 2n }, cent)).rejects.toMatchObject(reached)
  const renewed = { budgets: [budget], keyRevision: 2n, patience: { leftMs: 2_000 } }
  await expect(renewReservation(first, waiting, renewed)).rejects.toMatchObject(reached)
  await settle(first, waiting, aRequestRecord(owner, 0n))
})

test('a request whose key has got a budget is reserved again within it', async () => {
  const { accountId, keyId } = await aKeyWithCredits(system.context)
  const reservation = await reserveWhole(first, { accountId, keyId, keyRevision: 1n }, 2n * cent)
  const budget = await aBudget(system.context, { accountId, limitNanos: 3n * cent })
  const renewed = { budgets: [budget], keyRevision: 2n, patience: { leftMs: 2_000 } }
  await renewReservation(first, reservation, renewed)
  await settle(first, reservation, aRequestRecord({ accountId, keyId }, 2n * cent))
  expect((await spentOf(budget.id)).spent).toBe(2n * cent)
})

test('a new period begins with the whole limit, and a charge counts in the period of its grant', async () => {
  const { sql } = system.context
  const { accountId, keyId } = await aKeyWithCredits(system.context)
  const budget = await aBudget(system.context, { accountId, limitNanos: 20n * cent, resetInterval: 'daily' })
  const owner = { accountId, keyId, budgets: [budget] }
  const yesterday = { ...aRequestRecord(owner, 15n * cent), startedAt: Date.now() - dayMs }
  await settle(first, await reserveWhole(first, owner, 15n * cent), yesterday)
  await expect(reserveWhole(first, owner, 6n * cent)).rejects.toMatchObject(reached)
  await run(first, owner, 5n * cent)
  await expect(reserveWhole(second, owner, cent)).rejects.toMatchObject(reached)

  await sql`update budgets set counted_at = counted_at - interval '1 day' where id = ${budget.id}`
  await run(second, owner, 20n * cent)
  await expect(reserveWhole(first, owner, cent)).rejects.toMatchObject(reached)
  expect((await spentOf(budget.id)).spent).toBe(40n * cent)
})

test('if a process dies, its budgets get back what it held; its request is paid from what is left', async () => {
  const { accountId, keyId } = await aKeyWithCredits(system.context)
  const budget = await aBudget(system.context, { accountId, limitNanos: 5n * cent })
  const owner = { accountId, keyId, budgets: [budget] }
  const unfinished = await reserveWhole(first, owner, 4n * cent)
  await lapseHoldsOf(first)
  expect(await spentOf(budget.id)).toEqual({ spent: 0n, held: 0n })
  await run(second, owner, 3n * cent)
  expect(await settle(first, unfinished, aRequestRecord(owner, 4n * cent))).toBe(2n * cent)
  expect(await spentOf(budget.id)).toEqual({ spent: 5n * cent, held: 0n })
})

test('a deleted budget limits nothing, and a refund returns to the others', async () => {
  const { sql, ids } = system.context
  const { accountId, keyId } = await aKeyWithCredits(system.context)
  const team = await aBudget(system.context, { accountId, limitNanos: 5n * cent })
  const user = await aBudget(system.context, {
    accountId,
    kind: 'end_user',
    key: '',
    value: 'ada',
    limitNanos: cent,
  })
  await sql`delete from budgets where id = ${user.id}`
  const owner = { accountId, keyId, budgets: [team, user] }
  const record = aRequestRecord(owner, 4n * cent)
  await settle(first, await reserveWhole(first, owner, 4n * cent), record)
  await sql`select refund_request(${accountId}, ${new Date(record.startedAt)}, ${record.requestId}, ${ids.tagged('txn_')})`
  expect(await spentOf(team.id)).toEqual({ spent: 0n, held: 0n })
  await run(first, owner, 5n * cent)
})

async function run(ledger: Ledger, owner: HoldOwner, costNanos: bigint): Promise<void> {
  const reservation = await reserve(ledger, { ...owner, amountNanos: costNanos, minimumNanos: costNanos })
  await settle(ledger, reservation, aRequestRecord(owner, costNanos))
}

/** Reserves the whole amount, or fails without a wait for others. */
function reserveWhole(ledger: Ledger, owner: HoldOwner & { keyRevision?: bigint }, amountNanos: bigint) {
  return reserve(ledger, { ...owner, amountNanos, minimumNanos: amountNanos, patienceMs: 0 })
}

async function spentOf(id: string) {
  const [budget] = await system.context.sql<{ spent: bigint; held: bigint }[]>`
    select total_spent_nanos as spent, held_nanos as held from current_budgets where id = ${id}`
  return budget!
}
