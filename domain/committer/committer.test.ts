import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { maxLineBytes } from '../../platform/ipc/message-socket.ts'
import { aSystem } from '../../test/harness/a-context.ts'
import { aKeyWithCredits } from '../../test/harness/an-account.ts'
import { balanceOf, expectLedgerToBalance, logsOf } from '../../test/harness/invariants.ts'
import { aCheck, aCommitter, errorOf, exactly } from '../../test/harness/ledger/a-committer.ts'
import { aRequestRecord } from '../../test/harness/ledger/a-request-record.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { revisionName } from '../rates/rate-script.ts'
import { connectCommitter } from './connect-committer.ts'

const cent = 10_000_000n

const system = perFile(aSystem)
const committer = perFile(
  async () => {
    const started = await aCommitter(system)
    await started.start()
    return started
  },
  started => started.kill(),
)

afterEach(() => expectLedgerToBalance(system.context.sql))

test('a request reserves, extends, renews and settles as in its own process', async () => {
  const { ledger } = await committer.anEdge()
  const key = await aKeyWithCredits(system.context, { creditNanos: 10n * cent })
  const reservation = await ledger.reserve({ ...key, ...exactly(2n * cent), keyRevision: 1n })
  expect(reservation).toMatchObject({ amountNanos: 2n * cent, revision: 1n })
  expect(await ledger.extend(reservation, { moreNanos: 3n * cent, minimumNanos: cent })).toBe(3n * cent)
  await ledger.renew(reservation, { keyRevision: 2n, patience: { leftMs: 2_000 } })
  expect(reservation).toMatchObject({ amountNanos: 5n * cent, revision: 2n })
  const record = aRequestRecord(key, 7n * cent)
  record.costTerms = () => 'output:7:token:1'
  expect(await ledger.settle(reservation, record)).toBe(5n * cent)
  expect(record.costNanos).toBe(5n * cent)
  expect(await logsOf(system, key)).toMatchObject([
    { cost_nanos: 5n * cent, cost_terms: 'output:7:token:1;beyond what was held:1:cap:-20000000000000000' },
  ])
})

test('a request measures its need once if money is short; errors keep their names', async () => {
  const { ledger } = await committer.anEdge()
  const key = await aKeyWithCredits(system.context, { creditNanos: 3n * cent })
  const whenShort = vi.fn(() => exactly(2n * cent))
  const patience = { leftMs: 2_000 }
  const reservation = await ledger.reserve({ ...key, ...exactly(9n * cent), whenShort, patience })
  expect([reservation.amountNanos, whenShort.mock.calls.length]).toEqual([2n * cent, 1])
  expect(patience.leftMs).toBeGreaterThan(0)
  await expect(ledger.reserve({ ...key, ...exactly(9n * cent) })).rejects.toMatchObject({
    errorName: 'insufficient_credits',
    details: { shouldRetry: false },
  })
  await ledger.settle(reservation, aRequestRecord(key, 0n))
})

test('two edge processes share the holds: money for ten serves ten', async () => {
  const edges = [await committer.anEdge(), await committer.anEdge()]
  const key = await aKeyWithCredits(system.context, { creditNanos: 10n * cent })
  const outcomes = await Promise.allSettled(
    Array.from({ length: 100 }, async (_, turn) => {
      const { ledger } = edges[turn % 2]!
      const reservation = await ledger.reserve({ ...key, ...exactly(cent) })
      return ledger.settle(reservation, aRequestRecord(key, cent))
    }),
  )
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
  expect(await balanceOf(system.context.sql, key.accountId)).toMatchObject({ credits: 0n, held: 0n })
})

test('rates are counted once for all edge processes, and corrected', async () => {
  const edges = [await committer.anEdge(), await committer.anEdge()]
  const { accountId, keyId } = await aKeyWithCredits(system.context)
  const limits = { burst: 9, burstWindowMs: 10_000, rpm: 3, tph: 1_000, tpd: null, account: 100 }
  const request = { accountId, keyId, limits, requests: 1, tokens: 400 } as const
  const first = await edges[0]!.rates.check(request)
  expect(first).toMatchObject({ refusedBy: undefined, left: { rpm: 2, tph: 600, tpd: null } })
  await edges[0]!.rates.correct({ request, result: first, tokens: 100 })
  await expect
    .poll(async () => (await edges[1]!.rates.check({ ...request, requests: 0, tokens: 0 })).left.tph)
    .toBe(900)
  for (const edge of edges) await edge.rates.check({ ...request, tokens: 0 })
  expect((await edges[0]!.rates.check({ ...request, tokens: 0 })).refusedBy).toBe('rpm')
})

test('a check reserves money if the key is unchanged, the rates allow it, and the hold has it', async () => {
  const { redis } = system.context
  const { ledger, rates } = await committer.anEdge()
  const key = await aKeyWithCredits(system.context, { creditNanos: 1_000n * cent })
  const check = () =>
    rates.check(aCheck(key, 3), { amountNanos: cent, keyRevision: 1n }).then(checked => checked.reservation)
  const revision = revisionName(system.config.redisPrefix, key.accountId, key.keyId)
  await redis.set(revision, '1')
  expect(await check()).toBeUndefined() // there is no hold
  const first = await ledger.reserve({ ...key, ...exactly(cent), keyRevision: 1n })
  await redis.set(revision, '2')
  expect(await check()).toBeUndefined()
  await redis.set(revision, '1')
  const reservation = await check()
  expect(reservation).toMatchObject({ amountNanos: cent, revision: 1n })
  expect(await ledger.settle(reservation, aRequestRecord(key, cent))).toBe(cent)
  expect(await check()).toBeUndefined() // the rates refuse it
  await ledger.settle(first, aRequestRecord(key, 0n))
})

test('an edge process that dies keeps no money', async () => {
  const edge = await committer.anEdge()
  const key = await aKeyWithCredits(system.context, { creditNanos: 10n * cent })
  await edge.ledger.reserve({ ...key, ...exactly(10n * cent) })
  await edge.close()
  const { ledger } = await committer.anEdge()
  const reservation = await ledger.reserve({ ...key, ...exactly(10n * cent) })
  await ledger.settle(reservation, aRequestRecord(key, cent))
})

test('an answer that waited too long for the committer costs nothing, whatever was committed', async () => {
  const { ledger } = await committer.anEdge()
  const key = await aKeyWithCredits(system.context, { creditNanos: 10n * cent })
  const request = () => ledger.reserve({ ...key, ...exactly(2n * cent) })
  const [answered, delivered] = [await request(), await request()]
  committer.signal('SIGSTOP')
  const late = await Promise.all([
    errorOf(ledger.settle(answered, aRequestRecord(key, 2n * cent))),
    errorOf(ledger.settle(delivered, aRequestRecord(key, cent), { isDelivered: true })),
  ])
  expect(late).toEqual(['settlement_unknown', 'settlement_unknown'])
  await expect(request()).rejects.toMatchObject({ errorName: 'unavailable' })
  committer.signal('SIGCONT')
  await expect
    .poll(async () => (await logsOf(system, key)).map(({ cost_nanos, status }) => [cost_nanos, status]))
    .toEqual([
      [0n, 503],
      [cent, 200],
    ])
  const reservation = await request()
  await ledger.settle(reservation, aRequestRecord(key, 0n))
})

test('an edge process of another build is refused', async () => {
  const refused = vi.fn()
  const options = { kind: 'edge', path: committer.path, build: 'another', refused }
  await expect(connectCommitter(system.context, options)).rejects.toThrow('another build')
  expect(refused).toHaveBeenCalled()
})

test.each([
  ['sends another message first', '[["beat"]]\n'],
  ['sends no JSON', 'GET / HTTP/1.1\n'],
  ['sends a line without an end', 'x'.repeat(maxLineBytes + 1)],
])('a process that %s is disconnected, and others are served', async (_, text) => {
  const socket = connect(committer.path)
  socket.on('error', () => {}) // the rest cannot be sent
  socket.write(text)
  await once(socket, 'close')
  const { rates } = await committer.anEdge()
  expect((await rates.check(aCheck(await aKeyWithCredits(system.context)))).refusedBy).toBeUndefined()
})
