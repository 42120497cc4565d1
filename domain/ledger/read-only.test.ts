import { afterEach, expect, test } from 'vitest'
import { aSystem } from '../../test/harness/a-context.ts'
import { aKeyWithCredits } from '../../test/harness/an-account.ts'
import { balanceOf, expectLedgerToBalance } from '../../test/harness/invariants.ts'
import { aRequestRecord } from '../../test/harness/ledger/a-request-record.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { closeLedger, openLedger } from './open-ledger.ts'
import { reserve } from './reserve.ts'
import { refundUnanswered, settle } from './settle.ts'

const system = perFile(aSystem)
const ledger = perFile(() => openLedger(system.context, { kind: 'edge' }), closeLedger)
afterEach(() => expectLedgerToBalance(system.context.sql))

const cent = 10_000_000n

test('while the database is read-only for a moment, requests succeed and are charged or refunded afterwards', async () => {
  const { accountId, keyId } = await aKeyWithCredits(system.context, { creditNanos: 100n * cent })
  const key = { accountId, keyId }
  const credits = async () => (await balanceOf(system.database.sql, accountId)).credits
  const reservations = await Promise.all(
    Array.from({ length: 16 }, () => reserve(ledger, { ...key, amountNanos: cent, minimumNanos: cent })),
  )
  const refunded = aRequestRecord(key, cent)
  const first = await reserve(ledger, { ...key, amountNanos: cent, minimumNanos: cent })
  await settle(ledger, first, refunded)

  await refuseWrites(true)
  const settling = Promise.allSettled(
    reservations.map(reservation =>
      settle(ledger, reservation, aRequestRecord(key, cent), { isDelivered: true }),
    ),
  )
  const refunding = refundUnanswered(ledger, { record: refunded, mayBeCharged: true })
  const connections = new Set<number>()
  const connectionsSoFar = async () => {
    const rows = await system.database.sql<{ pid: number }[]>`
      select pid from pg_stat_activity
      where datname = current_database() and application_name = 'edge-ledger'`
    for (const { pid } of rows) connections.add(pid)
    return connections.size
  }
  await expect.poll(connectionsSoFar).toBeGreaterThan(2)
  await refuseWrites(false)
  const outcomes = await settling
  const unexpected = outcomes.flatMap(outcome =>
    outcome.status === 'rejected' && outcome.reason.errorName !== 'settlement_unknown'
      ? [outcome.reason]
      : [],
  )
  expect(unexpected).toEqual([])
  await refunding
  await expect.poll(credits).toBe(84n * cent)
})

/** Makes new sessions read-only or writable. Open sessions keep their mode, like connections to the old primary. */
async function refuseWrites(isRefused: boolean): Promise<void> {
  const { sql, url } = system.database
  const name = new URL(url).pathname.slice(1)
  await sql.begin(async transaction => {
    await transaction`set transaction read write`
    await transaction.unsafe(`alter database ${name} set default_transaction_read_only = ${isRefused}`)
  })
  if (isRefused)
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name in ('edge-ledger', 'test') and pid <> pg_backend_pid()`
}
