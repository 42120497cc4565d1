import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { aKeyWithCredits, anAccount, anApiKey } from '../../test/harness/an-account.ts'
import { balanceOf } from '../../test/harness/invariants.ts'
import { aRequestRecord } from '../../test/harness/ledger/a-request-record.ts'
import { theLedgers } from '../../test/harness/ledger/ledgers.ts'
import { extendReservation } from './extend-reservation.ts'
import type { HeldReservation } from './hold.ts'
import { heartbeatMs, idleHeadroomMs, type Ledger } from './ledger.ts'
import { closeLedger, openLedger } from './open-ledger.ts'
import { reserve } from './reserve.ts'
import { settle } from './settle.ts'

const { system, first, second } = theLedgers()

const cent = 10_000_000n

test('a low balance reserves what is available, and refuses below the minimum', async () => {
  const { accountId, keyId } = await aKeyWithCredits(system.context, { creditNanos: 3n * cent })
  const reservation = await reserve(first, { accountId, keyId, amountNanos: 10n * cent, minimumNanos: cent })
  expect(reservation.amountNanos).toBe(3n * cent)
  await expect(
    reserve(second, { accountId, keyId, amountNanos: cent, minimumNanos: cent }),
  ).rejects.toMatchObject({ errorName: 'insufficient_credits' })
  await settle(first, reservation, aRequestRecord({ accountId, keyId }, 2n * cent))
  expect(await balanceOf(system.context.sql, accountId)).toEqual({ credits: cent, held: 0n, in_use: 0n })
})

test('a charge never exceeds the reservation, even if the balance has more', async () => {
  const { accountId, keyId } = await aKeyWithCredits(system.context, { creditNanos: 30n * cent })
  const reservation = await reserve(first, { accountId, keyId, amountNanos: cent, minimumNanos: cent })
  const record = aRequestRecord({ accountId, keyId }, 5n * cent)
  expect(await settle(first, reservation, record)).toBe(cent)
  expect(record.costNanos).toBe(cent)
  expect(await balanceOf(system.context.sql, accountId)).toMatchObject({ credits: 29n * cent, in_use: 0n })
})

describe.each([
  ['balance', { creditNanos: 10n * cent }, {}],
  ['cap', {}, { limitNanos: 10n * cent }],
])('a reservation that grows while a response is produced, limited by the %s', (_, account, limit) => {
  test('it grows until no money is left, and all of it is charged', async () => {
    const { accountId } = await anAccount(system.context, account)
    const key = await anApiKey(system.context, { accountId, ...limit })
    const before = (await balanceOf(system.context.sql, accountId)).credits
    const reservation = await reserve(first, { ...key, amountNanos: cent, minimumNanos: cent })
    const ask = (minimumNanos: bigint) =>
      extendReservation(first, reservation, { moreNanos: 4n * cent, minimumNanos })
    expect([await ask(cent), await ask(cent)]).toEqual([4n * cent, 4n * cent])
    expect(await ask(2n * cent)).toBe(0n)
    expect(await ask(1n)).toBe(cent)
    expect([await ask(0n), await ask(cent)]).toEqual([0n, 0n])
    expect(reservation.amountNanos).toBe(10n * cent)
    expect(await settle(first, reservation, aRequestRecord(key, 10n * cent))).toBe(10n * cent)
    const { credits, held } = await balanceOf(system.context.sql, accountId)
    expect([before - credits, held]).toEqual([10n * cent, 0n])
  })
})

test('a hundred growths with a large balance need few statements', async () => {
  const { accountId, keyId } = await aKeyWithCredits(system.context)
  const add = vi.spyOn(first.commits, 'add')
  const reservation = await reserve(first, { accountId, keyId, amountNanos: 100n, minimumNanos: 100n })
  for (let turn = 0; turn < 100; turn++)
    await extendReservation(first, reservation, { moreNanos: 100n, minimumNanos: 1n })
  const growths = add.mock.calls.filter(([item]) => item.kind === 'grow')
  add.mockRestore()
  expect(growths.length).toBeLessThan(20)
  await settle(first, reservation, aRequestRecord({ accountId, keyId }, 10_000n))
  expect((await balanceOf(system.context.sql, accountId)).credits).toBe(100_000_000_000n - 10_000n)
})

test('the outcome of an attempt is stored with the request', async () => {
  const { accountId, keyId } = await aKeyWithCredits(system.context)
  const attempts = [{ vendor: 'vendor_a', error: 'say "no", {never}\\' }]
  const record = { ...aRequestRecord({ accountId, keyId }, 0n), attempts }
  await settle(first, undefined, record)
  const [row] = await system.context.sql`select attempts from request_logs where id = ${record.requestId}`
  expect(row?.attempts).toBe(JSON.stringify(attempts))
})

test('a large balance keeps headroom, which held does not include, and releases it to other processes', async () => {
  const { accountId, keyId } = await aKeyWithCredits(system.context, { creditNanos: 10_000n * cent })
  await pay(first, { accountId, keyId }, cent)
  const { credits, held, in_use } = await balanceOf(system.context.sql, accountId)
  expect({ credits, in_use }).toEqual({ credits: 9_999n * cent, in_use: 0n })
  expect(held).toBeGreaterThan(0n)
  // The other process reserves the whole rest: headroom of the first one must not block it.
  const reservation = await reserve(second, {
    accountId,
    keyId,
    amountNanos: 9_999n * cent,
    minimumNanos: 9_999n * cent,
  })
  await settle(second, reservation, aRequestRecord({ accountId, keyId }, 9_999n * cent))
  expect(await balanceOf(system.context.sql, accountId)).toEqual({ credits: 0n, held: 0n, in_use: 0n })
})

test('headroom that is unused for 45 seconds is released, and its hold is dropped', async () => {
  let laterMs = 0
  const clock = { ...systemClock, monotonic: () => performance.now() + laterMs }
  const ledger = await openLedger({ ...system.context, clock }, { kind: 'edge' })
  const { accountId, keyId } = await aKeyWithCredits(system.context, { creditNanos: 10_000n * cent })
  await pay(ledger, { accountId, keyId }, cent)
  const held = async () => (await balanceOf(system.context.sql, accountId)).held
  laterMs = idleHeadroomMs - 15_000
  await sleep(1.5 * heartbeatMs)
  expect(await held()).toBeGreaterThan(0n)
  laterMs = idleHeadroomMs
  await expect.poll(held).toBe(0n)
  await expect.poll(() => ledger.holds.size).toBe(0)
  await closeLedger(ledger)
})

test('a hold that grows a hundred times in a second never requests more than the balance', async () => {
  const { accountId, keyId } = await aKeyWithCredits(system.context, { creditNanos: 10_000n * cent })
  for (let turn = 1n; turn <= 100n; turn++) {
    // Each request needs more than the headroom that remains after the previous one.
    const reservation = await reserve(first, {
      accountId,
      keyId,
      amountNanos: 90n * cent + turn,
      minimumNanos: cent,
    })
    await settle(first, reservation, aRequestRecord({ accountId, keyId }, turn))
  }
  expect((await balanceOf(system.context.sql, accountId)).credits).toBe(10_000n * cent - 5_050n)
})

test('a long request is visible in held while it runs', async () => {
  const { accountId, keyId } = await aKeyWithCredits(system.context, { creditNanos: 10_000n * cent })
  await pay(first, { accountId, keyId }, cent)
  const reservation = await reserve(first, { accountId, keyId, amountNanos: cent, minimumNanos: cent })
  await sleep(600)
  expect((await balanceOf(system.context.sql, accountId)).in_use).toBe(cent)
  await settle(first, reservation, aRequestRecord({ accountId, keyId }, 0n))
  expect((await balanceOf(system.context.sql, accountId)).in_use).toBe(0n)
})

test('connections that break under load lose no money and charge nothing twice', async () => {
  const { accountId, keyId } = await aKeyWithCredits(system.context)
  const killer = (async () => {
    for (let round = 0; round < 5; round++) {
      await sleep(60)
      await system.context.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'edge-ledger' and datname = current_database()`
    }
  })()
  let paid = 0
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      for (let turn = 0; turn < 20; turn++) {
        await pay(turn % 2 ? first : second, { accountId, keyId }, cent)
        paid += 1
        await sleep(15)
      }
    }),
  )
  await killer
  expect((await balanceOf(system.context.sql, accountId)).credits).toBe(
    100_000_000_000n - BigInt(paid) * cent,
  )
})

test('a failed commit rejects the waiting requests, and the next request succeeds', async () => {
  const { accountId, keyId } = await aKeyWithCredits(system.context)
  vi.spyOn(first.commits, 'add').mockRejectedValueOnce(new Error('the commit broke'))
  await expect(pay(first, { accountId, keyId }, cent)).rejects.toMatchObject({ errorName: 'unavailable' })
  expect(await pay(first, { accountId, keyId }, cent)).toBe(cent)
})

test('the spending of a past period does not count', async () => {
  const { accountId, keyId } = await aKeyWithCredits(system.context, {
    limitNanos: cent,
    resetInterval: 'daily',
  })
  await pay(first, { accountId, keyId }, cent)
  await expect(pay(first, { accountId, keyId }, cent)).rejects.toMatchObject({
    errorName: 'credit_limit_reached',
  })
  const { sql } = system.context
  await sql`update key_budgets set counted_at = counted_at - interval '1 day' where key_id = ${keyId}`
  const [earlier] = await sql<{ at: Date }[]>`
    select created_at - interval '1 day' as at from request_logs where api_key_id = ${keyId}`
  await sql`update request_logs set created_at = ${earlier!.at} where api_key_id = ${keyId}`
  await sql`update usage_counters set day = day - 1 where api_key_id = ${keyId}`
  await pay(first, { accountId, keyId }, cent)
})

async function pay(
  ledger: Ledger,
  key: { accountId: string; keyId: string },
  costNanos: bigint,
): Promise<bigint> {
  const reservation: HeldReservation = await reserve(ledger, {
    ...key,
    amountNanos: costNanos,
    minimumNanos: costNanos,
  })
  await sleep(Math.random() * 5)
  return settle(ledger, reservation, aRequestRecord(key, costNanos))
}
