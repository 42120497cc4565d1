import fc from 'fast-check'
import { expect, test } from 'vitest'
import { noUsage } from '../../schema/usage.ts'
import { aKeyWithCredits } from '../../test/harness/an-account.ts'
import { balanceOf, expectLedgerToBalance } from '../../test/harness/invariants.ts'
import { aRequestRecord } from '../../test/harness/ledger/a-request-record.ts'
import { theLedgers } from '../../test/harness/ledger/ledgers.ts'
import type { Ledger } from './ledger.ts'
import type { RequestRecord } from './request-record.ts'
import { reserve } from './reserve.ts'
import { settle } from './settle.ts'

const { system, first: ledger, second: other } = theLedgers()

const cent = 10_000_000n

/** Values that Postgres refuses: extreme counts of a vendor, a text with NUL, an invalid ID. */
const spoiled: Partial<RequestRecord>[] = [
  { usage: { ...noUsage, promptTokens: 1e15, completionTokens: 1e300 } },
  { usage: { ...noUsage, completionTokens: Number.NaN, reasoningTokens: -7, cachedTokens: 1.5 } },
  { durationMs: 1e12, firstByteMs: -Infinity, startedAt: Number.NaN },
  { costTerms: () => '["\0"]', attempts: [{ error: 'x'.repeat(100_000) }], model: '\0'.repeat(600) },
]
const spoiledTerms: Partial<RequestRecord> = {
  costTerms() {
    throw new Error('no terms')
  },
}
const refused: Partial<RequestRecord>[] = [
  { transactionId: 'txn_\0' },
  { byokId: 'nobody' },
  { status: 'ok' as unknown as number, streamed: 'perhaps' as unknown as boolean },
]

test('valid rows in a batch with rows that Postgres refuses are settled exactly once', async () => {
  const keys = await Promise.all([1, 2, 3].map(() => aKey({ creditNanos: 1_000n * cent })))
  const request = fc.record({
    key: fc.nat(2),
    costNanos: fc.bigInt({ min: 0n, max: 5n }),
    fault: fc.oneof(
      { weight: 6, arbitrary: fc.constant(undefined) },
      { weight: 2, arbitrary: fc.constantFrom(...spoiled, spoiledTerms) },
      { weight: 1, arbitrary: fc.constantFrom(...refused) },
    ),
  })
  let refusals = 0
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 40 }), async requests => {
      const before = await Promise.all(keys.map(creditsOf))
      const paid = [0n, 0n, 0n]
      await Promise.all(
        requests.map(async ({ key, costNanos, fault }) => {
          const reservation = await reserveAll(ledger, keys[key]!, 5n)
          const record = { ...aRequestRecord(keys[key]!, costNanos), ...fault }
          const isRefused = fault !== undefined && refused.includes(fault)
          refusals += isRefused ? 1 : 0
          const cost = await settle(ledger, reservation, record).catch(error => {
            expect(error).toMatchObject({ errorName: 'internal' })
          })
          expect(cost === undefined).toBe(isRefused)
          if (cost !== undefined) paid[key]! += cost
          const rows = await system.context.sql`
            select cost_nanos from request_logs
            where account_id = ${keys[key]!.accountId} and id = ${record.requestId}`
          expect(rows.map(row => row.cost_nanos)).toEqual(cost === undefined ? [] : [costNanos])
        }),
      )
      await ledger.commits.idle()
      const after = await Promise.all(keys.map(creditsOf))
      expect(after).toEqual(before.map((credits, index) => credits - paid[index]!))
      await expectLedgerToBalance(system.context.sql)
    }),
    { numRuns: 25 },
  )
  expect(refusals).toBeGreaterThan(5)
}, 60_000)

test('a growth above the range of bigint is refused, and the rest of its batch commits', async () => {
  const [innocent, greedy, nobody] = [
    await aKey({ creditNanos: 100n * cent }),
    await aKey({ creditNanos: 100n * cent }),
    { accountId: system.context.ids.uuid(), keyId: 'no id at all' },
  ]
  const running = await reserveAll(ledger, innocent, cent)
  const [settled, ...asked] = await Promise.allSettled([
    settle(ledger, running, aRequestRecord(innocent, cent)),
    reserveAll(ledger, innocent, 2n * cent),
    reserveAll(ledger, greedy, 2n ** 63n),
    reserveAll(ledger, greedy, 2n ** 200n),
    reserveAll(ledger, nobody, cent),
  ])
  expect(settled).toEqual({ status: 'fulfilled', value: cent })
  expect(asked[0]).toMatchObject({ status: 'fulfilled', value: { amountNanos: 2n * cent } })
  for (const outcome of asked.slice(1))
    expect(outcome).toMatchObject({ status: 'rejected', reason: { errorName: 'insufficient_credits' } })
  await settle(ledger, (asked[0] as PromiseFulfilledResult<never>).value, aRequestRecord(innocent, 0n))
  expect(await creditsOf(innocent)).toBe(99n * cent)
})

test('two attempts of one request under the same ID are charged once, in either order', async () => {
  for (const [costs, charged] of [
    [[0n, cent], cent],
    [[cent, 0n], cent],
    [[cent, 2n * cent], cent],
    [[0n, 0n], 0n],
  ] as const) {
    const key = await aKey({ creditNanos: 10n * cent })
    const tries = [aRequestRecord(key, costs[0]), aRequestRecord(key, costs[1])] as const
    Object.assign(tries[1], { requestId: tries[0].requestId, startedAt: tries[0].startedAt })
    for (const [turn, record] of tries.entries()) {
      const from = [ledger, other][turn]!
      await settle(from, await reserveAll(from, key, 2n * cent), record)
    }
    expect(await creditsOf(key)).toBe(10n * cent - charged)
    const rows = await system.context.sql<{ cost: bigint }[]>`
      select cost_nanos as cost from request_logs where id = ${tries[0].requestId}`
    expect([...rows]).toEqual([{ cost: charged }])
    await expectLedgerToBalance(system.context.sql)
  }
})

test('a request that is settled twice concurrently is charged once', async () => {
  const key = await aKey({ creditNanos: 10n * cent })
  const record = aRequestRecord(key, cent)
  const reservations = await Promise.all([1, 2, 3].map(() => reserveAll(ledger, key, cent)))
  await Promise.all(reservations.map(reservation => settle(ledger, reservation, { ...record })))
  expect(await balanceOf(system.context.sql, key.accountId)).toMatchObject({ credits: 9n * cent, in_use: 0n })
})

interface Key {
  accountId: string
  keyId: string
}

async function aKey(options: { creditNanos: bigint }): Promise<Key> {
  return aKeyWithCredits(system.context, options)
}

function reserveAll(from: Ledger, { accountId, keyId }: Key, amountNanos: bigint) {
  return reserve(from, { accountId, keyId, amountNanos, minimumNanos: amountNanos })
}

async function creditsOf({ accountId }: Key): Promise<bigint> {
  return (await balanceOf(system.context.sql, accountId)).credits
}
