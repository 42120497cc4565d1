import { describe, expect, test } from 'vitest'
import { dayMs, systemClock } from '../../platform/clock.ts'
import { aKeyWithCredits, anApiKey } from '../../test/harness/an-account.ts'
import { balanceOf, logsOf } from '../../test/harness/invariants.ts'
import { aRequestRecord } from '../../test/harness/ledger/a-request-record.ts'
import { theLedgers } from '../../test/harness/ledger/ledgers.ts'
import type { Ledger } from './ledger.ts'
import { closeLedger, openLedger } from './open-ledger.ts'
import { lapseHolds } from './process-row.ts'
import type { RequestRecord } from './request-record.ts'
import { reserve } from './reserve.ts'
import { settle } from './settle.ts'

const { system, first: ledger, second } = theLedgers()

const cent = 10_000_000n
interface Key {
  accountId: string
  keyId: string
}

test('requests of one key with any model, end user and outcome are settled by one statement', async () => {
  const key = await aKey()
  const fields: Partial<RequestRecord>[] = [
    {},
    { endUser: 'ada' },
    { endUser: '', model: null },
    { endUser: 'ada', model: 'vendor_b/other', streamed: true },
    { costNanos: 0n, status: 503, errorCode: 'upstream_error' },
    { costNanos: 0n, status: 499 },
  ]
  await settleAll(ledger, key, fields)
  const { settled, statements } = await settleAll(ledger, key, [...fields, ...fields])
  expect(statements).toBe(1)
  expect(settled).toBe(8n * cent)
  expect(await balanceOf(system.context.sql, key.accountId)).toMatchObject({
    credits: 88n * cent,
    in_use: 0n,
  })
  expect(await logsOf(system, key)).toHaveLength(18)
})

test('requests of many keys, some of the same account, are settled by one statement', async () => {
  const first = await aKey()
  const { keyId } = await anApiKey(system.context, { accountId: first.accountId })
  const keys = [first, { ...first, keyId }, await aKey(), await aKey()]
  const settleRound = () =>
    settleOf(
      ledger,
      keys.flatMap(key => [
        aRequestRecord(key, cent),
        { ...aRequestRecord(key, cent), endUser: 'ada' },
        { ...aRequestRecord(key, 0n), status: 503 },
      ]),
    )
  await settleRound()
  expect(await settleRound()).toEqual({ settled: 8n * cent, statements: 1 })
  for (const [key, credits] of [[first, 92n] as const, [keys[3]!, 96n] as const])
    expect(await balanceOf(system.context.sql, key.accountId)).toMatchObject({
      credits: credits * cent,
      in_use: 0n,
    })
  for (const key of keys) expect(await budgetOf(key)).toEqual({ day: 4n * cent, total: 4n * cent })
  expect(await logsOf(system, first)).toHaveLength(12)
})

describe.each([1, 2])(
  'a batch of %i keys that is not plain after all is sent again and settled normally',
  count => {
    const someKeys = () => Promise.all(Array.from({ length: count }, aKey))
    const recordsOf = (keys: Key[]) => keys.map(key => aRequestRecord(key, cent))
    const creditsOf = (keys: Key[]) =>
      Promise.all(
        keys.map(async ({ accountId }) => (await balanceOf(system.context.sql, accountId)).credits / cent),
      )

    test('if a request is already in the log', async () => {
      const keys = await someKeys()
      const logged = recordsOf(keys)
      await settleOf(ledger, logged)
      const { statements } = await settleOf(ledger, [logged[0]!, ...recordsOf(keys)])
      expect(statements).toBe(2)
      expect(await creditsOf(keys)).toEqual(keys.map(() => 98n))
    })

    test('if a hold lapsed although the process is alive', async () => {
      const { sql } = system.context
      const keys = await someKeys()
      await settleOf(ledger, recordsOf(keys))
      await sql`update holds set process_id = gen_random_uuid() where account_id = ${keys.at(-1)!.accountId}`
      expect(await lapseHolds({ sql })).toBe(1)
      expect((await settleOf(ledger, recordsOf(keys))).settled).toBe(BigInt(count) * cent)
      expect(await creditsOf(keys)).toEqual(keys.map(() => 98n))
    })

    test('if the day of its requests has ended by the clock of Postgres', async () => {
      const yesterday = { ...systemClock, now: () => Date.now() - dayMs }
      const late = await openLedger({ ...system.context, clock: yesterday }, { kind: 'edge' })
      const keys = await someKeys()
      const records = () => recordsOf(keys).map(record => ({ ...record, startedAt: yesterday.now() }))
      await settleOf(late, records())
      expect((await settleOf(late, records())).statements).toBe(2)
      await closeLedger(late)
      // Postgres granted the money today.
      for (const key of keys) expect(await budgetOf(key)).toEqual({ day: 2n * cent, total: 2n * cent })
    })
  },
)

test('holds of several keys grow by one statement, also of the same account', async () => {
  const first = await aKey()
  const keys = [first, await anApiKey(system.context, first), await aKey()]
  const amountNanos = 10n * cent
  const before = ledger.flushNumber
  const reserveEach = () =>
    Promise.all(keys.map(key => reserve(ledger, { ...key, amountNanos, minimumNanos: amountNanos })))
  const reservations = await reserveEach()
  expect(Number(ledger.flushNumber - before)).toBeLessThanOrEqual(2) // the first may leave before the others are queued
  expect(reservations.map(({ hold }) => hold.keyId)).toEqual(keys.map(({ keyId }) => keyId))
  expect(await balanceOf(system.context.sql, first.accountId)).toMatchObject({ in_use: 20n * cent })
  for (const [turn, key] of keys.entries())
    await settle(ledger, reservations[turn]!, aRequestRecord(key, cent))
})

test('of two holds that the balance cannot both cover, the first one grows', async () => {
  const first = await aKey()
  const keys = [first, await anApiKey(system.context, first)]
  const amountNanos = 60n * cent
  const [one, other] = await Promise.allSettled(
    keys.map(key => reserve(ledger, { ...key, amountNanos, minimumNanos: amountNanos })),
  )
  expect([one!.status, other!.status]).toEqual(['fulfilled', 'rejected'])
  expect(other).toMatchObject({ reason: { errorName: 'insufficient_credits' } })
})

test('a batch with a growth that was short before is not sent as a plain batch', async () => {
  const key = await aKeyWithCredits(system.context, { creditNanos: 1n })
  const { value } = ledger.counts.retries.of('send rows')
  for (let turn = 0; turn < 3; turn++)
    await expect(reserve(ledger, { ...key, amountNanos: cent, minimumNanos: cent })).rejects.toThrow()
  expect(ledger.counts.retries.of('send rows').value).toBe(value + 1)
})

test('two processes settle the same accounts concurrently, in any order of keys', async () => {
  const keys = await Promise.all(Array.from({ length: 8 }, aKey))
  const rounds = Array.from({ length: 20 }, (_, turn) => (turn % 2 ? keys : [...keys].reverse()))
  const settleAt = async (of: Ledger) => {
    for (const round of rounds)
      await settleOf(
        of,
        round.map(key => aRequestRecord(key, cent)),
      )
  }
  await Promise.all([settleAt(ledger), settleAt(second)])
  for (const { accountId } of keys)
    expect((await balanceOf(system.context.sql, accountId)).credits).toBe(60n * cent)
})

test.each([1, 2])('budgets that alerts update while %i keys are posted lose no charge', async count => {
  const { sql } = system.context
  const keys = [await aKey(), await aKey()].slice(0, count)
  const reserved = await Promise.all(
    keys.map(key => reserve(ledger, { ...key, amountNanos: cent, minimumNanos: cent })),
  )
  const told = Promise.withResolvers<void>()
  const isOpen = Promise.withResolvers<void>()
  const alert = sql.begin(async transaction => {
    await transaction`update key_budgets set notified_percent = 50 where key_id = ${keys.at(-1)!.keyId}`
    isOpen.resolve()
    await told.promise
  })
  await isOpen.promise
  // Not before: the ledger could have posted them by itself.
  await Promise.all(keys.map((key, index) => settle(ledger, reserved[index], aRequestRecord(key, cent))))
  const posting = sql`
    select post_account(id) from unnest(${keys.map(key => key.accountId).sort()}::uuid[]) id`.execute()
  await expect.poll(async () => (await sql`select from pg_locks where not granted`).length).toBeGreaterThan(0)
  told.resolve()
  await alert
  await posting
  for (const key of keys) expect(await budgetOf(key)).toEqual({ day: cent, total: cent })
})

test('free requests of a hold that never grew are settled at once, also together with other holds', async () => {
  const [free, paying] = [await aKey(), await aKey()]
  const records = () => [aRequestRecord(free, 0n), aRequestRecord(paying, cent)]
  await settleOf(ledger, records(), { free: 0n })
  expect((await settleOf(ledger, records().slice(0, 1), { free: 0n })).statements).toBe(1)
  expect((await settleOf(ledger, records(), { free: 0n })).statements).toBe(1)
})

/** Settles requests of a key concurrently. */
function settleAll(of: Ledger, key: Key, requests: Partial<RequestRecord>[]) {
  return settleOf(
    of,
    requests.map(fields => ({ ...aRequestRecord(key, cent), ...fields })),
  )
}

/** Settles requests concurrently. Free requests reserve `free`. Returns the total cost and the number of statements. */
async function settleOf(of: Ledger, records: RequestRecord[], { free = cent } = {}) {
  const reservations = await Promise.all(
    records.map(({ accountId, keyId, costNanos }) => {
      const amountNanos = costNanos > 0n ? cent : free
      return reserve(of, { accountId, keyId, amountNanos, minimumNanos: amountNanos })
    }),
  )
  await of.commits.idle()
  const before = of.flushNumber
  const costs = await Promise.all(records.map((record, index) => settle(of, reservations[index], record)))
  await of.commits.idle()
  const settled = costs.reduce((sum, cost) => sum + cost, 0n)
  return { settled, statements: Number(of.flushNumber - before) }
}

async function budgetOf({ keyId }: Key) {
  const [budget] = await system.context.sql<{ day: bigint; total: bigint }[]>`
    select day_spent_nanos as day, total_spent_nanos as total from current_key_budgets where key_id = ${keyId}`
  return budget
}

async function aKey(): Promise<Key> {
  return aKeyWithCredits(system.context, { creditNanos: 100n * cent })
}
