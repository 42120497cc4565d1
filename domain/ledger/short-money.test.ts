import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { aKeyWithCredits, anAccount, anApiKey } from '../../test/harness/an-account.ts'
import { balanceOf } from '../../test/harness/invariants.ts'
import { aRequestRecord } from '../../test/harness/ledger/a-request-record.ts'
import { theLedgers } from '../../test/harness/ledger/ledgers.ts'
import { extendReservation } from './extend-reservation.ts'
import type { Ledger } from './ledger.ts'
import { reserve } from './reserve.ts'
import { settle } from './settle.ts'

const { system, first, second } = theLedgers()

const cent = 10_000_000n
/** The cost of a request, its measured maximum, and the maximum by the length of its body. */
const costNanos = cent
const measuredNanos = (cent * 17n) / 10n
const boundNanos = 50n * cent
const forTen = 9n * costNanos + measuredNanos
const rounds = 10

describe.each([
  ['balance', 'one process', 'insufficient_credits'],
  ['balance', 'two processes', 'insufficient_credits'],
  ['cap', 'one process', 'credit_limit_reached'],
  ['cap', 'two processes', 'credit_limit_reached'],
])('a %s for exactly ten requests, a hundred at once in %s', (limit, processes, refusedAs) => {
  test('ten succeed with any keys, and nothing remains held', async () => {
    for (let round = 0; round < rounds; round++) {
      const { accountId } = await anAccount(
        system.context,
        limit === 'balance' ? { creditNanos: forTen } : {},
      )
      const before = await balanceOf(system.context.sql, accountId)
      const keyCount = limit === 'balance' ? 1 + (round % 3) : 1
      const keys = await Promise.all(
        Array.from({ length: keyCount }, () =>
          anApiKey(system.context, { accountId, ...(limit === 'cap' && { limitNanos: forTen }) }),
        ),
      )
      const outcomes = await Promise.allSettled(
        Array.from({ length: 100 }, async (_, turn) => {
          await sleep(Math.random() * 20)
          const ledger = processes === 'one process' || turn % 2 ? first : second
          await run(ledger, keys[turn % keyCount]!)
        }),
      )
      const refused = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason] : []))
      expect(new Set(refused.map(error => error.errorName))).toEqual(new Set([refusedAs]))
      expect(refused).toHaveLength(90)
      await expect
        .poll(() => balanceOf(system.context.sql, accountId))
        .toEqual({ credits: before.credits - 10n * costNanos, held: 0n, in_use: 0n })
    }
  }, 60_000)
})

test('ten succeed and are paid while other transactions lock the account briefly', async () => {
  for (let round = 0; round < 3; round++) {
    const { accountId, keyId } = await aKeyWithCredits(system.context, { creditNanos: forTen })
    const locking = (async () => {
      for (let times = 0; times < 5; times++) {
        await system.context.sql.begin(async sql => {
          await sql`select from balances where account_id = ${accountId} for update`
          await sleep(120) // longer than a flush waits for a lock
        })
        await sleep(Math.random() * 60)
      }
    })()
    const asked = Array.from({ length: 100 }, (_, turn) =>
      run(turn % 2 ? first : second, { accountId, keyId }),
    )
    const outcomes = await Promise.allSettled(asked)
    await locking
    const paid = outcomes.flatMap(outcome => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    expect(paid).toEqual(Array(10).fill(costNanos))
    await expect
      .poll(() => balanceOf(system.context.sql, accountId))
      .toEqual({ credits: forTen - 10n * costNanos, held: 0n, in_use: 0n })
  }
}, 60_000)

test('headroom of another process causes no refusal, even in quick succession', async () => {
  const { accountId, keyId } = await aKeyWithCredits(system.context, { creditNanos: 10_000n * cent })
  const key = { accountId, keyId }
  for (const ledger of [first, second]) {
    const warming = await reserve(ledger, { ...key, amountNanos: 90n * cent, minimumNanos: cent })
    await settle(ledger, warming, aRequestRecord(key, 0n))
  }
  expect((await balanceOf(system.context.sql, accountId)).held).toBeGreaterThan(0n)
  const all = await Promise.all(
    [first, second, first].map((ledger, turn) =>
      sleep(turn * 15).then(() => reserveAll(ledger, key, turn === 0 ? 5_000n * cent : 2_500n * cent)),
    ),
  )
  const ledgers = [first, second, first]
  for (const [turn, reservation] of all.entries())
    await settle(ledgers[turn]!, reservation, aRequestRecord(key, reservation.amountNanos))
  expect(await balanceOf(system.context.sql, accountId)).toEqual({ credits: 0n, held: 0n, in_use: 0n })
})

test('a request above the total balance is refused at once, even while others are in flight', async () => {
  const { accountId, keyId } = await aKeyWithCredits(system.context, { creditNanos: 10n * cent })
  const running = await reserveAll(first, { accountId, keyId }, 5n * cent)
  const tooMuch = { accountId, keyId, amountNanos: 11n * cent, minimumNanos: 11n * cent }
  // If the request waited, the test would time out.
  await expect(reserve(second, { ...tooMuch, patienceMs: 600_000 })).rejects.toMatchObject({
    errorName: 'insufficient_credits',
  })
  await settle(first, running, aRequestRecord({ accountId, keyId }, cent))
})

test('a request that waits for money in flight is refused after its maximum wait; a growing reservation gets nothing', async () => {
  const { accountId, keyId } = await aKeyWithCredits(system.context, { creditNanos: 10n * cent })
  const running = await reserveAll(first, { accountId, keyId }, 8n * cent)
  const waiting = { accountId, keyId, amountNanos: 3n * cent, minimumNanos: 3n * cent, patienceMs: 300 }
  for (const ledger of [first, second])
    await expect(reserve(ledger, waiting)).rejects.toMatchObject({ errorName: 'insufficient_credits' })
  expect(await extendReservation(first, running, { moreNanos: 3n * cent, minimumNanos: 3n * cent })).toBe(0n)
  expect(await extendReservation(first, running, { moreNanos: 3n * cent, minimumNanos: cent })).toBe(
    2n * cent,
  )
  await settle(first, running, aRequestRecord({ accountId, keyId }, 10n * cent))
  expect(await balanceOf(system.context.sql, accountId)).toEqual({ credits: 0n, held: 0n, in_use: 0n })
})

interface Key {
  accountId: string
  keyId: string
}

test('an account with many short holds leaves the ledger to other accounts', async () => {
  const { ids } = system.context
  const key = await aKeyWithCredits(system.context, { creditNanos: cent })
  const amounts = { amountNanos: cent, minimumNanos: cent }
  const all = await reserve(second, { ...key, ...amounts })
  const queued = vi.spyOn(first.commits, 'add')
  const ends = await Promise.allSettled(
    Array.from({ length: 200 }, () => {
      const budget = { kind: 'end_user' as const, key: '', value: 'ada', id: ids.uuid() }
      return reserve(first, { ...key, ...amounts, budgets: [budget], patienceMs: 1_000 })
    }),
  )
  expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['rejected']))
  expect(queued.mock.calls.length).toBeLessThan(1_500)
  await settle(second, all, aRequestRecord(key, 0n))
})

/** Runs a request that reserves by its body and is measured if money is short. Returns the charged amount. */
async function run(ledger: Ledger, key: Key): Promise<bigint> {
  const reservation = await reserve(ledger, {
    accountId: key.accountId,
    keyId: key.keyId,
    amountNanos: boundNanos,
    minimumNanos: boundNanos,
    whenShort: () => ({ amountNanos: measuredNanos, minimumNanos: measuredNanos }),
  })
  await sleep(Math.random() * 30)
  return settle(ledger, reservation, aRequestRecord(key, costNanos))
}

function reserveAll(ledger: Ledger, { accountId, keyId }: Key, amountNanos: bigint) {
  return reserve(ledger, { accountId, keyId, amountNanos, minimumNanos: amountNanos })
}
