import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { openPostgres } from '../../platform/postgres/open-postgres.ts'
import { aSystem } from '../../test/harness/a-context.ts'
import { aKeyWithCredits } from '../../test/harness/an-account.ts'
import { balanceOf, expectLedgerToBalance } from '../../test/harness/invariants.ts'
import { aRequestRecord } from '../../test/harness/ledger/a-request-record.ts'
import { lapseHoldsOf } from '../../test/harness/ledger/ledgers.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { aPostgresProxy, type PostgresProxy } from '../../test/harness/postgres/a-postgres-proxy.ts'
import { openKeyCache } from '../keys/key-cache.ts'
import type { Ledger } from './ledger.ts'
import { closeLedger, openLedger } from './open-ledger.ts'
import { beat } from './process-row.ts'
import { reserve } from './reserve.ts'
import { settle } from './settle.ts'

let proxy: PostgresProxy
/** A ledger whose money statements pass through the proxy. */
let stalling: Ledger

const system = perFile(aSystem)
const other = perFile(() => openLedger(system.context, { kind: 'edge' }), closeLedger)
beforeEach(async () => {
  proxy = await aPostgresProxy(system.config.databaseUrl)
  const context = { ...system.context, config: { ...system.config, databaseUrl: proxy.url } }
  stalling = await openLedger(context, { kind: 'edge' })
})
afterEach(async () => {
  await proxy.release()
  await closeLedger(stalling)
  await proxy.close()
  await expectLedgerToBalance(system.context.sql)
})

const cent = 10_000_000n

test('a stalled statement that was sent again changes nothing when it finally arrives', async () => {
  const key = await aKey({ creditNanos: 10n * cent })
  const first = await reserve(stalling, { ...key, amountNanos: 2n * cent, minimumNanos: 2n * cent })
  proxy.stall()
  const settling = settle(stalling, first, aRequestRecord(key, cent), { isDelivered: true })
  await expect(settling).rejects.toMatchObject({ errorName: 'settlement_unknown' })
  await expect.poll(() => credits(key), { timeout: 10_000 }).toBe(9n * cent)
  // Over a new connection, a request in flight reserves the whole rest.
  const second = await reserve(stalling, { ...key, amountNanos: 9n * cent, minimumNanos: 9n * cent })
  await proxy.release()
  expect((await balanceOf(system.context.sql, key.accountId)).held).toBe(9n * cent)
  await expect(
    reserve(other, { ...key, amountNanos: cent, minimumNanos: cent, patienceMs: 0 }),
  ).rejects.toMatchObject({ errorName: 'insufficient_credits' })
  expect(await settle(stalling, second, aRequestRecord(key, 9n * cent))).toBe(9n * cent)
  expect(await balanceOf(system.context.sql, key.accountId)).toEqual({ credits: 0n, held: 0n, in_use: 0n })
}, 30_000)

test('while Postgres does not respond, every request is refused after its maximum wait', async () => {
  const context = { ...system.context, sql: openPostgres({ url: proxy.url, name: 'test' }) }
  const keys = openKeyCache(context.sql, context.clock.monotonic)
  onTestFinished(() => {
    keys.close()
    return context.sql.end({ timeout: 0 })
  })
  const aNewKey = () => aKey({ creditNanos: 100n * cent })
  const known = await Promise.all([aNewKey(), aNewKey(), aNewKey(), aNewKey(), aNewKey()])
  await keys.read('nobody')
  proxy.stall({ all: true })
  const outcomes: Promise<unknown>[] = []
  // Timers of one process fire in order, even late ones. A request that waited for another one would be a second late.
  const within = (ms: number, work: Promise<unknown>) =>
    Promise.race([work.catch(() => 'refused'), sleep(ms + 900, 'late')])
  for (const key of known) {
    outcomes.push(within(2_000, reserveCent(stalling, key)))
    outcomes.push(within(2_000, keys.find(key.keyId, Buffer.alloc(32))))
    await sleep(100)
  }
  const patience = { leftMs: 300 }
  const late = reserve(stalling, { ...known[0]!, amountNanos: cent, minimumNanos: cent, patience })
  outcomes.push(within(300, late))
  expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['refused']))
}, 30_000)

test('a heartbeat that arrives after the holds of the process lapsed does not restore trust in them', async () => {
  const key = await aKey({ creditNanos: 10_000n * cent })
  await pay(stalling, key, cent)
  const { holds, processId } = stalling
  expect(holds.get(key.keyId)?.amountNanos).toBeGreaterThan(0n)
  proxy.stall()
  await expect(beat(stalling)).rejects.toMatchObject({ errorName: 'unavailable' })
  await lapseHoldsOf(stalling)
  await proxy.release()
  await beat(stalling)
  expect(stalling.processId).not.toBe(processId)
  expect(await system.context.sql`select from processes where id = ${processId}`).toHaveLength(0)
  const { amountNanos } = await reserve(stalling, { ...key, amountNanos: cent, minimumNanos: cent })
  expect((await balanceOf(system.context.sql, key.accountId)).held).toBeGreaterThanOrEqual(amountNanos)
  await settle(
    stalling,
    { hold: holds.get(key.keyId)!, amountNanos, revision: 0n },
    aRequestRecord(key, cent),
  )
  expect(await credits(key)).toBe(9_998n * cent)
}, 30_000)

test('while Postgres is stopped, requests in flight end as soon as new ones, and delivered responses are charged later', async () => {
  const key = await aKey({ creditNanos: 100n * cent })
  const poor = await aKey({ creditNanos: cent })
  const [whole, streamed] = [await reserveCent(stalling, key), await reserveCent(stalling, key)]
  proxy.stall({ all: true })
  const outcomes = await Promise.allSettled([
    settle(stalling, whole, aRequestRecord(key, cent)),
    settle(stalling, streamed, { ...aRequestRecord(key, cent), streamed: true }, { isDelivered: true }),
    reserveCent(stalling, poor),
    beat(stalling),
  ])
  const told = outcomes.map(outcome => outcome.status === 'rejected' && outcome.reason.errorName)
  expect(told).toEqual(['settlement_unknown', 'settlement_unknown', 'unavailable', 'unavailable'])
  await proxy.release()
  await beat(stalling)
  // The stream was delivered except for its end; the complete response was not delivered.
  await expect.poll(() => stalling.settling.size).toBe(0)
  expect(await credits(key)).toBe(99n * cent)
  expect(await pay(stalling, poor, cent)).toBe(cent)
  const rows = await system.context.sql<{ cost: bigint; status: number; streamed: boolean }[]>`
    select cost_nanos as cost, status, streamed from request_logs where account_id = ${key.accountId} order by streamed`
  expect(rows).toEqual([
    { cost: 0n, status: 503, streamed: false },
    { cost: cent, status: 200, streamed: true },
  ])
}, 30_000)

test('a charge that Postgres confirms too late is refunded if nothing was delivered', async () => {
  const key = await aKey({ creditNanos: 100n * cent })
  const [whole, streamed] = [await reserveCent(stalling, key), await reserveCent(stalling, key)]
  const record = aRequestRecord(key, cent)
  proxy.swallowAnswersTo(record.requestId)
  const outcomes = Promise.allSettled([
    settle(stalling, whole, record),
    settle(stalling, streamed, aRequestRecord(key, cent), { isDelivered: true }),
  ])
  await expect.poll(() => credits(key)).toBe(98n * cent)
  for (const outcome of await outcomes) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { errorName: 'settlement_unknown' } })
  }
  proxy.swallowAnswersTo('nothing any more')
  await expect.poll(() => credits(key), { timeout: 15_000 }).toBe(99n * cent)
  const entries = await system.context.sql`
    select payment_method, credits_nanos from transactions
    where account_id = ${key.accountId} and request_id = ${record.requestId} order by credits_nanos`
  expect(entries).toMatchObject([
    { payment_method: 'usage', credits_nanos: -cent },
    { payment_method: 'refund', credits_nanos: cent },
  ])
  const [{ spent } = { spent: undefined }] = await system.context.sql<{ spent: bigint }[]>`
    select total_spent_nanos as spent from key_budgets where key_id = ${key.keyId}`
  expect(spent).toBe(cent)
}, 30_000)

test('a request that runs again under its Idempotency-Key is refunded only if it gets no response', async () => {
  const { sql, ids } = system.context
  const refunded = async (status: number | null, processId: string) => {
    const key = await aKey({ creditNanos: 100n * cent })
    const record = aRequestRecord(key, cent)
    await settle(other, await reserveCent(other, key), record)
    await sql`
      insert into idempotency_keys (account_id, key, fingerprint, process_id, request_id, started_at, status)
      values (${key.accountId}, 'again', '', ${processId}, ${record.requestId}, now(), ${status})`
    const [row] = await sql<{ nanos: bigint | null }[]>`
      select refund_request(${key.accountId}, ${new Date(record.startedAt)}, ${record.requestId}, 'txn_back') as nanos`
    return row?.nanos
  }
  expect(await refunded(200, other.processId)).toBe(0n)
  expect(await refunded(null, other.processId)).toBe(null)
  expect(await refunded(null, ids.uuid())).toBe(cent)
})

async function aKey(options: { creditNanos: bigint }) {
  return aKeyWithCredits(system.context, options)
}

interface Key {
  accountId: string
  keyId: string
}

function reserveCent(ledger: Ledger, key: Key) {
  return reserve(ledger, { ...key, amountNanos: cent, minimumNanos: cent })
}

async function pay(ledger: Ledger, key: Key, costNanos: bigint): Promise<bigint> {
  const reservation = await reserve(ledger, { ...key, amountNanos: costNanos, minimumNanos: costNanos })
  return settle(ledger, reservation, aRequestRecord(key, costNanos))
}

async function credits({ accountId }: Key): Promise<bigint> {
  return (await balanceOf(system.context.sql, accountId)).credits
}
