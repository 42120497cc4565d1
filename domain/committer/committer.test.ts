import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { maxLineBytes } from '../../platform/ipc/message-socket.ts'
import { aSystem } from '../../test/harness/a-context.ts'
import { aKeyWithCredits } from '../../test/harness/an-account.ts'
import { balanceOf, expectLedgerToBalance, logsOf } from '../../test/harness/invariants.ts'
import { aRequestRecord } from '../../test/harness/ledger/a-request-record.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { aPostgresProxy } from '../../test/harness/postgres/a-postgres-proxy.ts'
import type { Committer } from './committer.ts'
import { connectCommitter } from './connect-committer.ts'
import { readBuild } from './messages.ts'

const system = perFile(aSystem)
const cent = 10_000_000n

let path: string
let committer: ChildProcess | undefined

beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'committer-'))
  path = join(folder, 's')
  onTestFinished(() => rm(folder, { recursive: true }))
  await start()
})

afterEach(async () => {
  committer?.kill('SIGKILL')
  await expectLedgerToBalance(system.context.sql)
})

/** Starts a committer process, which continues the holds of `adopted`. Resolves to its process ID in the ledger. */
async function start({
  adopted,
  databaseUrl = system.config.databaseUrl,
}: {
  adopted?: string
  databaseUrl?: string
} = {}): Promise<string> {
  const { redisUrl, redisPrefix } = system.config
  const entry = new URL('../../inference-edge/committer-main.ts', import.meta.url)
  committer = fork(entry, adopted ? [path, adopted] : [path], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      REDIS_PREFIX: redisPrefix,
      LOG_LEVEL: 'silent',
    },
    execArgv: [],
  })
  const [news] = await once(committer, 'message')
  return news.processId
}

async function kill(): Promise<void> {
  const ended = once(committer!, 'exit')
  committer!.kill('SIGKILL')
  await ended
}

/** Connects as an edge process. */
async function anEdge(): Promise<Committer> {
  const options = { kind: 'edge', path, build: readBuild(), refused() {} }
  const edge = await connectCommitter(system.context, options)
  onTestFinished(() => edge.close())
  return edge
}

const exactly = (amountNanos: bigint) => ({ amountNanos, minimumNanos: amountNanos })

test('a request reserves, extends, renews and settles as in its own process', async () => {
  const { ledger } = await anEdge()
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
  const { ledger } = await anEdge()
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
  const edges = [await anEdge(), await anEdge()]
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
  const edges = [await anEdge(), await anEdge()]
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

test('an edge process that dies keeps no money', async () => {
  const edge = await anEdge()
  const key = await aKeyWithCredits(system.context, { creditNanos: 10n * cent })
  await edge.ledger.reserve({ ...key, ...exactly(10n * cent) })
  await edge.close()
  const { ledger } = await anEdge()
  const reservation = await ledger.reserve({ ...key, ...exactly(10n * cent) })
  await ledger.settle(reservation, aRequestRecord(key, cent))
})

test('after the committer was killed, reservations continue, and a settlement is repeated but charged once', async () => {
  await kill()
  const proxy = await aPostgresProxy(system.config.databaseUrl)
  const processId = await start({ databaseUrl: proxy.url })
  const { ledger, rates } = await anEdge()
  const key = await aKeyWithCredits(system.context, { creditNanos: 10n * cent })
  // All the money is in use, so it must not be released while no committer runs.
  const [running, settling] = [
    await ledger.reserve({ ...key, ...exactly(6n * cent) }),
    await ledger.reserve({ ...key, ...exactly(4n * cent) }),
  ]
  const record = aRequestRecord(key, 4n * cent)
  // Its charge commits, and the committer dies before it learns that.
  proxy.swallowAnswersTo(`(${key.accountId},`)
  const settled = ledger.settle(settling, record)
  await expect.poll(() => logsOf(system, key)).toHaveLength(1)
  await kill()
  await expect(ledger.reserve({ ...key, ...exactly(cent) })).rejects.toMatchObject({
    errorName: 'unavailable',
  })
  await expect(rates.check(aCheck(key))).rejects.toMatchObject({ errorName: 'unavailable' })
  const late = ledger.settle(running, aRequestRecord(key, 6n * cent))
  expect(await start({ adopted: processId })).toBe(processId)
  expect(await Promise.all([settled, late])).toEqual([4n * cent, 6n * cent])
  expect(await logsOf(system, key)).toMatchObject([{ cost_nanos: 4n * cent }, { cost_nanos: 6n * cent }])
  await expect
    .poll(() => balanceOf(system.context.sql, key.accountId))
    .toEqual({ credits: 0n, held: 0n, in_use: 0n })
})

test('a charge whose client got an error is refunded by the next committer, and one that was not committed is released', async () => {
  await kill()
  const proxy = await aPostgresProxy(system.config.databaseUrl)
  const processId = await start({ databaseUrl: proxy.url })
  const { ledger } = await anEdge()
  const key = await aKeyWithCredits(system.context, { creditNanos: 10n * cent })
  const request = () => ledger.reserve({ ...key, ...exactly(2n * cent) })
  const [committed, unsent] = [await request(), await request()]
  proxy.swallowAnswersTo(`(${key.accountId},`)
  const first = ledger.settle(committed, aRequestRecord(key, 2n * cent))
  await expect.poll(() => logsOf(system, key)).toHaveLength(1)
  await kill()
  const second = ledger.settle(unsent, aRequestRecord(key, 2n * cent))
  await expect(first).rejects.toMatchObject({ errorName: 'settlement_unknown' })
  await expect(second).rejects.toMatchObject({ errorName: 'unavailable' })
  await start({ adopted: processId })
  await expect
    .poll(async () => (await logsOf(system, key)).map(({ cost_nanos, status }) => [cost_nanos, status]))
    .toEqual([
      [0n, 503],
      [0n, 503],
    ])
  await expect
    .poll(() => balanceOf(system.context.sql, key.accountId))
    .toMatchObject({ credits: 10n * cent, in_use: 0n })
})

test('an answer that waited too long for the committer costs nothing, whatever was committed', async () => {
  const { ledger } = await anEdge()
  const key = await aKeyWithCredits(system.context, { creditNanos: 10n * cent })
  const request = () => ledger.reserve({ ...key, ...exactly(2n * cent) })
  const [answered, delivered] = [await request(), await request()]
  committer!.kill('SIGSTOP')
  const late = [
    ledger.settle(answered, aRequestRecord(key, 2n * cent)),
    ledger.settle(delivered, aRequestRecord(key, cent), { isDelivered: true }),
  ]
  for (const settling of late)
    await expect(settling).rejects.toMatchObject({ errorName: 'settlement_unknown' })
  await expect(request()).rejects.toMatchObject({ errorName: 'unavailable' })
  committer!.kill('SIGCONT')
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
  const options = { kind: 'edge', path, build: 'another', refused }
  await expect(connectCommitter(system.context, options)).rejects.toThrow('another build')
  expect(refused).toHaveBeenCalled()
})

test.each([
  ['sends another message first', '[["beat"]]\n'],
  ['sends no JSON', 'GET / HTTP/1.1\n'],
  ['sends a line without an end', 'x'.repeat(maxLineBytes + 1)],
])('a process that %s is disconnected, and others are served', async (_, text) => {
  const socket = connect(path)
  socket.on('error', () => {}) // the rest cannot be sent
  socket.write(text)
  await once(socket, 'close')
  const { rates } = await anEdge()
  expect((await rates.check(aCheck(await aKeyWithCredits(system.context)))).refusedBy).toBeUndefined()
})

function aCheck({ accountId, keyId }: { accountId: string; keyId: string }) {
  const limits = { burst: 9, burstWindowMs: 10_000, rpm: null, tph: null, tpd: null, account: 100 }
  return { accountId, keyId, limits, requests: 1, tokens: 0 } as const
}
