import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dayMs } from '../../platform/clock.ts'
import { systemIds } from '../../platform/ids.ts'
import { aKeyWithCredits } from '../../test/harness/an-account.ts'
import { expectLedgerToBalance } from '../../test/harness/invariants.ts'
import { aRequestRecord } from '../../test/harness/ledger/a-request-record.ts'
import { lapseHoldsOf, theLedgers } from '../../test/harness/ledger/ledgers.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { RequestRecord } from '../ledger/request-record.ts'
import { reserve } from '../ledger/reserve.ts'
import { settle } from '../ledger/settle.ts'
import { readMetadata } from '../logs/request-metadata.ts'
import { listUsage } from './list-usage.ts'

const ledgers = theLedgers()

interface Key {
  accountId: string
  keyId: string
}

test('requests in any batch, by two processes and at any cost, are counted as logged', async () => {
  const keys = await Promise.all([1, 2, 3].map(aKey))
  const request = fc.record({
    key: fc.nat(2),
    costNanos: fc.bigInt({ min: 0n, max: 4n }),
    daysAgo: fc.nat(3),
    fields: fc.record({
      model: fc.constantFrom('vendor_a/one', 'vendor_b/two', null),
      endUser: fc.constantFrom('ada', 'Ada', '', '*', null),
      metadata: fc
        .option(fc.dictionary(fc.constantFrom('team', 'env', '"', '*'), fc.constantFrom('red', '', '*')), {
          nil: null,
        })
        .map(readMetadata),
      status: fc.constantFrom(200, 499, 402, 503),
      usage: fc.record({
        promptTokens: fc.nat(9),
        cachedTokens: fc.nat(9),
        cacheCreationTokens: fc.nat(9),
        completionTokens: fc.nat(9),
        reasoningTokens: fc.nat(9),
      }),
    }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 40 }), async requests => {
      await Promise.all(
        requests.map(({ key, costNanos, daysAgo, fields }, turn) =>
          pay(turn % 2 ? ledgers.first : ledgers.second, keys[key]!, {
            ...fields,
            costNanos,
            startedAt: Date.now() - daysAgo * dayMs,
          }),
        ),
      )
      await expectLedgerToBalance(ledgers.system.context.sql)
    }),
    { numRuns: 12 },
  )
  const counted = await counters(keys.map(({ accountId }) => accountId))
  expect(counted.length).toBeGreaterThan(20)
})

test('concurrent free requests of many accounts in two processes never deadlock', async () => {
  const { sql } = ledgers.system.context
  const keys = await Promise.all(Array.from({ length: 30 }, aKey))
  const [before] = await sql`select deadlocks from pg_stat_database where datname = current_database()`
  for (let round = 0; round < 10; round++) {
    const shuffled = keys.toSorted(() => Math.random() - 0.5)
    await Promise.all([
      ...keys.map(key => settle(ledgers.first, undefined, aRequestRecord(key, 0n))),
      ...shuffled.map(key => settle(ledgers.second, undefined, aRequestRecord(key, 0n))),
    ])
  }
  const [after] = await sql`select deadlocks from pg_stat_database where datname = current_database()`
  expect(after).toEqual(before)
  const rows = await counters(keys.map(({ accountId }) => accountId))
  expect(rows.map(({ requests }) => requests)).toEqual(keys.map(() => 20n))
})

test('a request that is charged after it was logged as free counts once, with its final state', async () => {
  const key = await aKey()
  const logged = aRequestRecord(key, 0n)
  await settle(ledgers.first, undefined, { ...logged, status: 503, model: 'vendor_a/first', endUser: 'ada' })
  await payAs(ledgers.second, key, { ...logged, costNanos: 7n })
  expect(await counters([key.accountId])).toEqual([
    ...Array(2).fill(
      expect.objectContaining({ model: 'vendor_a/first', requests: 0n, failed_requests: 0n, cost_nanos: 0n }),
    ),
    expect.objectContaining({ model: 'vendor_a/test', requests: 1n, failed_requests: 0n, cost_nanos: 7n }),
  ])
})

test('a refunded charge counts as a failed free request', async () => {
  const key = await aKey()
  const { sql, ids } = ledgers.system.context
  const metadata = readMetadata({ team: 'red' })
  const record = await pay(ledgers.first, key, { costNanos: 5n, endUser: 'ada', metadata })
  await sql`select refund_request(${key.accountId}, ${new Date(record.startedAt)}, ${record.requestId}, ${ids.tagged('txn_')})`
  const failed = expect.objectContaining({ requests: 1n, failed_requests: 1n, cost_nanos: 0n })
  const rows = await counters([key.accountId]) // of all, of the end user, of the team, and of both
  expect(rows).toEqual([failed, failed, failed, failed])
})

test('requests whose connections break while they settle are counted once by their metadata', async () => {
  const { sql, clock } = ledgers.system.context
  const key = await aKey()
  const metadata = readMetadata({ team: 'red' })
  const breaking = (async () => {
    for (let round = 0; round < 4; round++) {
      await setTimeout(50)
      await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'edge-ledger' and datname = current_database()`
    }
  })()
  const payInTurn = async (_: unknown, client: number) => {
    for (let turn = 0; turn < 20; turn++) {
      const endUser = client % 2 ? 'ada' : null
      await pay(turn % 2 ? ledgers.first : ledgers.second, key, { costNanos: 2n, endUser, metadata })
      await setTimeout(10)
    }
  }
  await Promise.all([breaking, ...Array.from({ length: 10 }, payInTurn)])
  const query = { accountId: key.accountId, filter: {}, groupBy: ['metadata'] as const, metadataKey: 'team' }
  expect(await listUsage({ sql, clock }, { ...query, slice: { limit: 9 } })).toMatchObject([
    { metadataValue: 'red', requests: 200, spentNanos: 400n },
  ])
})

test('a settlement whose hold lapsed is counted when it is settled again', async () => {
  const key = await aKey()
  const reservation = await reserve(ledgers.first, { ...key, amountNanos: 9n, minimumNanos: 9n })
  await lapseHoldsOf(ledgers.first)
  await settle(ledgers.first, reservation, aRequestRecord(key, 9n))
  expect(await counters([key.accountId])).toEqual([expect.objectContaining({ requests: 1n, cost_nanos: 9n })])
})

test('the first thousand end users of a day are counted by name and the others as one; each day starts again', async () => {
  const { sql } = ledgers.system.context
  const key = await aKey()
  const startedAt = Date.now()
  const ask = (endUser: string, daysAgo = 0) =>
    pay(ledgers.first, key, { endUser, startedAt: startedAt - daysAgo * dayMs })
  await Promise.all(Array.from({ length: 990 }, (_, user) => ask(`user ${user}`)))
  for (let user = 980; user < 1005; user++) await ask(`user ${user}`) // each by the statement for one
  await Promise.all(['user 3', 'user 1004', 'user 2000'].map(user => ask(user)))
  await ask('user 2000', 1)

  const rows = await sql`
    select end_user_place as place, sum(requests)::int as requests from current_usage
    where account_id = ${key.accountId} group by day, end_user_place order by day desc, end_user_place`
  expect(rows).toHaveLength(1004)
  expect(rows.slice(0, 2)).toEqual([
    { place: -1, requests: 7 },
    { place: 0, requests: 1_018 },
  ])
  expect(rows.slice(-2)).toEqual([
    { place: 0, requests: 1 },
    { place: 1, requests: 1 },
  ])
})

test('the first thousand values of a key of metadata, and the first hundred keys, are counted each day', async () => {
  const { sql, clock } = ledgers.system.context
  const key = await aKey()
  const ask = (pairs: object) => pay(ledgers.first, key, { metadata: readMetadata(pairs) })
  for (let first = 0; first < 990; first += 90)
    await Promise.all(Array.from({ length: 90 }, (_, turn) => ask({ team: 'red', trace: `${first + turn}` })))
  for (let turn = 980; turn < 1005; turn++) await ask({ team: 'red', trace: `${turn}` }) // each by the statement for one
  for (let turn = 0; turn < 103; turn++) await ask({ team: 'red', [`key ${turn}`]: 'x' })

  const groupsOf = async (metadataKey: string) => {
    const query = { accountId: key.accountId, filter: {}, groupBy: ['metadata'] as const, metadataKey }
    const groups = await listUsage({ sql, clock }, { ...query, slice: { limit: 2_000 } })
    return groups.map(group => [group.metadataKind, group.metadataValue, group.requests])
  }
  expect(await groupsOf('team')).toEqual([['named', 'red', 1_118]])
  const traces = await groupsOf('trace')
  expect(traces).toHaveLength(1_002)
  expect(traces.slice(0, 2)).toEqual([
    ['others', '', 5],
    ['none', '', 103],
  ])
  expect(await groupsOf('key 97')).toEqual([
    ['none', '', 1_117],
    ['named', 'x', 1],
  ])
  expect(await groupsOf('key 98')).toEqual([['none', '', 1_118]])
})

/** Settles a request of a key, at a cost or at none. Its tokens and status are what `fields` say. */
function pay(ledger: Ledger, key: Key, fields: Partial<RequestRecord>): Promise<RequestRecord> {
  return payAs(ledger, key, { ...aRequestRecord(key, 0n), ...fields })
}

async function payAs(ledger: Ledger, key: Key, record: RequestRecord): Promise<RequestRecord> {
  const { costNanos } = record
  const isPaid = costNanos > 0n
  const reservation = isPaid
    ? await reserve(ledger, { ...key, amountNanos: costNanos, minimumNanos: costNanos })
    : undefined
  await settle(ledger, reservation, { ...record, transactionId: isPaid ? systemIds.tagged('txn_') : '' })
  return record
}

async function counters(accountIds: string[]) {
  const { sql } = ledgers.system.context
  return sql`
    select account_id, day, model, end_user_place, requests, failed_requests, cost_nanos from current_usage
    where account_id = any(${accountIds}::uuid[]) order by model, account_id, day, end_user_place`
}

async function aKey(): Promise<Key> {
  const { context } = ledgers.system
  return aKeyWithCredits(context, { creditNanos: 1_000_000n })
}
