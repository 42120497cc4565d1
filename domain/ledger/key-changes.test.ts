import { expect, test } from 'vitest'
import { aKeyWithCredits, type TestKey } from '../../test/harness/an-account.ts'
import { balanceOf } from '../../test/harness/invariants.ts'
import { aRequestRecord } from '../../test/harness/ledger/a-request-record.ts'
import { theLedgers } from '../../test/harness/ledger/ledgers.ts'
import { renewReservation } from './renew-reservation.ts'
import { reserve } from './reserve.ts'
import { settle } from './settle.ts'

const { system, first: ledger } = theLedgers()

const cent = 10_000_000n
const reached = { errorName: 'credit_limit_reached' }

test('headroom granted before a change of the key serves no request with the new revision', async () => {
  const key = await aKey({ creditNanos: 1_000_000n * cent })
  await settle(ledger, await reserveAt(key, 1n, cent), aRequestRecord(key, cent))
  const hold = ledger.holds.get(key.keyId)
  expect(hold?.amountNanos).toBeGreaterThan(0n)
  await lowerCap(key, cent)
  await expect(reserveAt(key, 2n, cent)).rejects.toMatchObject(reached)
  expect((await balanceOf(system.context.sql, key.accountId)).held).toBe(0n)
})

test('money released by a request from before the change is granted again', async () => {
  const key = await aKey({ limitNanos: 10n * cent })
  const earlier = await reserveAt(key, 1n, 8n * cent)
  await lowerCap(key, 3n * cent)
  const later = reserveAt(key, 2n, 3n * cent)
  const settled = settle(ledger, earlier, aRequestRecord(key, cent))
  await expect(later).rejects.toMatchObject(reached)
  expect(await settled).toBe(cent)
})

test('if the key changes before the vendor is called, the request reserves its money again', async () => {
  const key = await aKey({ creditNanos: 1_000n * cent })
  const reservation = await reserveAt(key, 1n, 5n * cent)
  await renewReservation(ledger, reservation, { keyRevision: 2n, patience: { leftMs: 2_000 } })
  expect(reservation).toMatchObject({ amountNanos: 5n * cent, revision: 2n })
  await lowerCap(key, cent)
  const later = { keyRevision: 3n, patience: { leftMs: 2_000 } }
  await expect(renewReservation(ledger, reservation, later)).rejects.toMatchObject(reached)
  expect(reservation.amountNanos).toBe(0n)
  await settle(ledger, reservation, aRequestRecord(key, 0n))
})

test('a request whose key changes again while its money is reserved again keeps its amount', async () => {
  const key = await aKey({ creditNanos: 1_000n * cent })
  const reservation = await reserveAt(key, 1n, 5n * cent)
  const renewedAt = (keyRevision: bigint) =>
    renewReservation(ledger, reservation, { keyRevision, patience: { leftMs: 2_000 } })
  const earlier = renewedAt(2n)
  await renewedAt(3n)
  expect(reservation).toMatchObject({ amountNanos: 5n * cent, revision: 3n })
  await earlier
  expect(await settle(ledger, reservation, aRequestRecord(key, 5n * cent))).toBe(5n * cent)
  expect(ledger.holds.get(key.keyId)?.reservedNanos).toBe(0n)
})

test('a request whose money was refused after a change of its key stays refused after the next change', async () => {
  const key = await aKey({ creditNanos: 1_000n * cent })
  const reservation = await reserveAt(key, 1n, 5n * cent)
  await lowerCap(key, cent)
  for (const keyRevision of [2n, 3n]) {
    const renewed = renewReservation(ledger, reservation, { keyRevision, patience: { leftMs: 2_000 } })
    await expect(renewed).rejects.toMatchObject(reached)
  }
  await settle(ledger, reservation, aRequestRecord(key, 0n))
})

test('a request whose time for Postgres is used up does not wait again after a change of its key', async () => {
  const key = await aKey({ creditNanos: 1_000n * cent })
  const reservation = await reserveAt(key, 1n, 5n * cent)
  const refused = renewReservation(ledger, reservation, { keyRevision: 2n, patience: { leftMs: 0 } })
  await expect(refused).rejects.toMatchObject({ errorName: 'unavailable' })
  expect(reservation.amountNanos).toBe(0n)
  await settle(ledger, reservation, aRequestRecord(key, 0n))
})

test('a reservation subtracts its wait for Postgres from the time of the request', async () => {
  const { accountId, keyId } = await aKey({ creditNanos: 1_000n * cent })
  const patience = { leftMs: 2_000 }
  const amounts = { amountNanos: cent, minimumNanos: cent }
  const reservation = await reserve(ledger, { accountId, keyId, patience, ...amounts })
  expect(patience.leftMs).toBeLessThan(2_000)
  expect(patience.leftMs).toBeGreaterThan(0)
  await settle(ledger, reservation, aRequestRecord({ accountId, keyId }, 0n))
})

async function aKey(options: { creditNanos?: bigint; limitNanos?: bigint }): Promise<TestKey> {
  return aKeyWithCredits(system.context, options)
}

function reserveAt({ accountId, keyId }: TestKey, keyRevision: bigint, amountNanos: bigint) {
  return reserve(ledger, { accountId, keyId, keyRevision, amountNanos, minimumNanos: amountNanos })
}

async function lowerCap({ accountId, keyId }: TestKey, limitNanos: bigint): Promise<void> {
  await system.context.sql`
    update key_budgets set limit_nanos = ${limitNanos} where account_id = ${accountId} and key_id = ${keyId}`
}
