import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { aBudget, aKeyWithCredits } from '../../test/harness/an-account.ts'
import { balanceOf, expectLedgerToBalance } from '../../test/harness/invariants.ts'
import { aRequestRecord } from '../../test/harness/ledger/a-request-record.ts'
import { lapseHoldsOf, theLedgers } from '../../test/harness/ledger/ledgers.ts'
import type { HeldReservation, HoldOwner } from './hold.ts'
import type { Ledger } from './ledger.ts'
import { closeLedger, openLedger } from './open-ledger.ts'
import { beat } from './process-row.ts'
import type { RequestRecord } from './request-record.ts'
import { continueReservation, reserve } from './reserve.ts'
import { settle } from './settle.ts'

const { system, first, second } = theLedgers()

const cent = 10_000_000n

interface Key {
  accountId: string
  keyId: string
}

describe('a hold that lapses during a request', () => {
  test('is backed again when the request settles', async () => {
    const key = await aKey({ creditNanos: 100n * cent })
    const reservation = await reserveAll(first, key, cent)
    await lapseHoldsOf(first)
    expect((await balanceOf(system.context.sql, key.accountId)).held).toBe(0n)
    await settle(first, reservation, aRequestRecord(key, cent))
    expect((await balanceOf(system.context.sql, key.accountId)).credits).toBe(99n * cent)
  })

  test('is backed by its own row if that was not released yet', async () => {
    const key = await aKey({ creditNanos: 10n * cent })
    const reservation = await reserveAll(first, key, 10n * cent)
    await system.context.sql`delete from processes where id = ${first.processId}`
    expect(await settle(first, reservation, aRequestRecord(key, 8n * cent))).toBe(8n * cent)
  })

  test('does not delay free requests: they are logged, and the key continues to work', async () => {
    const key = await aKey({ creditNanos: 100n * cent })
    const reservation = await reserveAll(first, key, cent)
    await lapseHoldsOf(first)
    const record = aRequestRecord(key, 0n)
    expect(await settle(first, reservation, record)).toBe(0n)
    expect(await costsInLog(record)).toEqual([0n])
    await pay(first, key, cent)
    expect((await balanceOf(system.context.sql, key.accountId)).credits).toBe(99n * cent)
  })

  test('is paid from the remaining balance, which never becomes negative', async () => {
    const key = await aKey({ creditNanos: 10n * cent })
    const reservation = await reserveAll(first, key, 8n * cent)
    await lapseHoldsOf(first)
    await beat(first)
    await pay(second, key, 9n * cent)
    await expect(pay(first, key, 9n * cent)).rejects.toMatchObject({ errorName: 'insufficient_credits' })
    const record = aRequestRecord(key, 8n * cent)
    expect(await settle(first, reservation, record)).toBe(cent)
    expect(await costsInLog(record)).toEqual([cent])
    expect(await balanceOf(system.context.sql, key.accountId)).toEqual({ credits: 0n, held: 0n, in_use: 0n })
  })

  test('is paid from the remaining cap, which is never exceeded', async () => {
    const key = await aKey({ creditNanos: 100n * cent, limitNanos: 10n * cent })
    const reservation = await reserveAll(first, key, 8n * cent)
    await lapseHoldsOf(first)
    await beat(first)
    await pay(second, key, 9n * cent)
    await expect(pay(first, key, 9n * cent)).rejects.toMatchObject({ errorName: 'credit_limit_reached' })
    expect(await settle(first, reservation, aRequestRecord(key, 8n * cent))).toBe(cent)
    expect((await balanceOf(system.context.sql, key.accountId)).credits).toBe(90n * cent)
  })

  test('leaves a response unpaid if no money is left, and logs it once', async () => {
    const key = await aKey({ creditNanos: 10n * cent })
    const reservation = await reserveAll(first, key, 8n * cent)
    await lapseHoldsOf(first)
    await pay(second, key, 10n * cent)
    const record = aRequestRecord(key, 8n * cent)
    expect(await settle(first, reservation, record)).toBe(0n)
    expect(await costsInLog(record)).toEqual([0n])
  })
})

test('a reservation of zero needs no money and is settled normally', async () => {
  const key = await aKey({ creditNanos: 0n })
  const reservation = await reserveAll(first, key, 0n)
  const record = aRequestRecord(key, 0n)
  expect(await settle(first, reservation, record)).toBe(0n)
  expect(await costsInLog(record)).toEqual([0n])
})

test('after random lapses every request settles, and the books balance after every step', async () => {
  const amount = fc.bigInt({ min: 0n, max: 9n })
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ does: fc.constant('reserve' as const), in: fc.nat(1), amount }) },
    {
      weight: 4,
      arbitrary: fc.record({
        does: fc.constant('settle' as const),
        which: fc.nat(),
        amount,
        many: fc.nat(2),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ does: fc.constantFrom('lapse' as const, 'beat' as const), in: fc.nat(1) }),
    },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), fc.boolean(), async (steps, isCapped) => {
      const limit = isCapped ? { creditNanos: 100n, limitNanos: 12n } : { creditNanos: 12n }
      const key = await aKey(limit)
      const open: { ledger: Ledger; reservation: HeldReservation }[] = []
      let paid = 0n
      const end = async (which: number, costNanos: bigint) => {
        const [request] = open.splice(which % open.length, 1)
        const cost = await settle(request!.ledger, request!.reservation, aRequestRecord(key, costNanos))
        paid += cost
      }
      for (const taken of [...steps, { does: 'end' as const }]) {
        if (taken.does === 'reserve') {
          const ledger = [first, second][taken.in]!
          await reserve(ledger, { ...key, amountNanos: taken.amount, minimumNanos: taken.amount / 2n }).then(
            reservation => open.push({ ledger, reservation }),
            error => expect(error.errorName).toBe(isCapped ? 'credit_limit_reached' : 'insufficient_credits'),
          )
        } else if (taken.does === 'settle') {
          const ending = Math.min(taken.many + 1, open.length)
          await Promise.all(Array.from({ length: ending }, () => end(taken.which, taken.amount)))
        } else if (taken.does === 'end') {
          while (open.length > 0) await end(0, 5n)
        } else {
          const ledger = [first, second][taken.in]!
          await (taken.does === 'lapse' ? lapseHoldsOf(ledger) : beat(ledger))
        }
        await expectLedgerToBalance(system.context.sql)
      }
      expect(paid).toBeLessThanOrEqual(12n)
      expect((await balanceOf(system.context.sql, key.accountId)).credits).toBe(limit.creditNanos - paid)
    }),
    { numRuns: 25 },
  )
}, 180_000)

test('a successor continues each hold of a key, also if their budgets were deleted', async () => {
  const key = await aKey({ creditNanos: 100n * cent })
  const limit = { accountId: key.accountId, limitNanos: 50n * cent }
  const [one, other] = [
    await aBudget(system.context, limit),
    await aBudget(system.context, { ...limit, value: 'sales' }),
  ]
  const owners = [
    key,
    { ...key, budgets: [one] },
    { ...key, budgets: [other] },
    { ...key, budgets: [one, other] },
  ]
  const earlier = await openLedger(system.context, { kind: 'edge' })
  const amountsNanos = [cent, 2n * cent, 3n * cent, 4n * cent]
  for (const [at, owner] of owners.entries()) await reserveAll(earlier, owner, amountsNanos[at]!)
  await system.context.sql`delete from budgets where account_id = ${key.accountId}`
  for (const timer of earlier.timers) clearInterval(timer)

  const successor = await openLedger(system.context, { kind: 'edge', adopted: earlier.processId })
  const continued = owners.map((owner, at) =>
    continueReservation(successor, { ...owner, amountNanos: amountsNanos[at]!, revision: 0n }),
  )
  expect(successor.holds.size).toBe(4)
  for (const [at, reservation] of continued.entries()) {
    expect(reservation.hold.amountNanos).toBeGreaterThanOrEqual(amountsNanos[at]!)
    await settle(successor, reservation, aRequestRecord(key, cent))
  }
  await closeLedger(successor)
  await earlier.connection.end()
  expect(await balanceOf(system.context.sql, key.accountId)).toMatchObject({ credits: 96n * cent, held: 0n })
})

test('holds lapse without a wait for a flush whose heartbeat a wrong clock wrote into the future', async () => {
  const { sql } = system.context
  const ahead = await openLedger(system.context, { kind: 'edge' })
  onTestFinished(() => closeLedger(ahead))
  await sql`update processes set heartbeat_at = now() + interval '1 hour' where id = ${ahead.processId}`
  await sql.begin(async flush => {
    await flush`select from processes where id = ${ahead.processId} for no key update`
    await sql.begin(async lapse => {
      await lapse`set local lock_timeout = '100ms'`
      await lapse`select forget_processes('7 seconds')`
    })
  })
  await sql`select forget_processes('7 seconds')`
  const [row] = await sql`
    select heartbeat_at <= clock_timestamp() as corrected from processes where id = ${ahead.processId}`
  expect(row?.corrected).toBe(true)
})

async function aKey(options: { creditNanos: bigint; limitNanos?: bigint }): Promise<Key> {
  return aKeyWithCredits(system.context, options)
}

async function pay(ledger: Ledger, key: Key, costNanos: bigint): Promise<bigint> {
  return settle(ledger, await reserveAll(ledger, key, costNanos), aRequestRecord(key, costNanos))
}

function reserveAll(ledger: Ledger, key: HoldOwner, amountNanos: bigint): Promise<HeldReservation> {
  return reserve(ledger, { ...key, amountNanos, minimumNanos: amountNanos })
}

/** Returns the costs that the log has for a request, one per row. */
async function costsInLog({ accountId, requestId }: RequestRecord): Promise<bigint[]> {
  const rows = await system.context.sql<{ cost: bigint }[]>`
    select cost_nanos as cost from request_logs where account_id = ${accountId} and id = ${requestId}`
  return rows.map(({ cost }) => cost)
}
