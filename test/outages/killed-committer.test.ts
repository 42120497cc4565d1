import { afterEach, beforeEach, expect, test } from 'vitest'
import { aSystem } from '../harness/a-context.ts'
import { aKeyWithCredits } from '../harness/an-account.ts'
import { balanceOf, expectLedgerToBalance, logsOf } from '../harness/invariants.ts'
import { aCheck, aCommitter, errorOf, exactly, type TestCommitter } from '../harness/ledger/a-committer.ts'
import { aRequestRecord } from '../harness/ledger/a-request-record.ts'
import { perFile } from '../harness/per-file.ts'
import { aPostgresProxy } from '../harness/postgres/a-postgres-proxy.ts'

const cent = 10_000_000n

const system = perFile(aSystem)
let committer: TestCommitter

beforeEach(async () => {
  committer = await aCommitter(system)
})
afterEach(async () => {
  await committer.kill()
  // Holds of processes that a test killed stay until they lapse, and nothing else here lapses them.
  await system.context.sql`select lapse_holds(interval '-1 day')`
  await expectLedgerToBalance(system.context.sql)
})

test('after the committer was killed, reservations continue, and a settlement is repeated but charged once', async () => {
  const proxy = await aPostgresProxy(system.config.databaseUrl)
  const processId = await committer.start({ databaseUrl: proxy.url })
  // No time passes for the edge process: a busy machine may start the next committer too late for a settlement.
  const { ledger, rates } = await committer.anEdge({ ...system.context.clock, monotonic: () => 0 })
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
  await committer.kill()
  await expect(ledger.reserve({ ...key, ...exactly(cent) })).rejects.toMatchObject({
    errorName: 'unavailable',
  })
  await expect(rates.check(aCheck(key))).rejects.toMatchObject({ errorName: 'unavailable' })
  const charged = Promise.all([settled, ledger.settle(running, aRequestRecord(key, 6n * cent))])
  expect(await committer.start({ adopted: processId })).toBe(processId)
  expect(await charged).toEqual([4n * cent, 6n * cent])
  expect(await logsOf(system, key)).toMatchObject([{ cost_nanos: 4n * cent }, { cost_nanos: 6n * cent }])
  await expect
    .poll(() => balanceOf(system.context.sql, key.accountId))
    .toEqual({ credits: 0n, held: 0n, in_use: 0n })
})

test('a charge whose client got an error is refunded by the next committer, and one that was not committed is released', async () => {
  const proxy = await aPostgresProxy(system.config.databaseUrl)
  const processId = await committer.start({ databaseUrl: proxy.url })
  const { ledger } = await committer.anEdge()
  const key = await aKeyWithCredits(system.context, { creditNanos: 10n * cent })
  const request = () => ledger.reserve({ ...key, ...exactly(2n * cent) })
  const [committed, unsent] = [await request(), await request()]
  proxy.swallowAnswersTo(`(${key.accountId},`)
  const first = errorOf(ledger.settle(committed, aRequestRecord(key, 2n * cent)))
  await expect.poll(() => logsOf(system, key)).toHaveLength(1)
  await committer.kill()
  const second = errorOf(ledger.settle(unsent, aRequestRecord(key, 2n * cent)))
  expect([await first, await second]).toEqual(['settlement_unknown', 'unavailable'])
  await committer.start({ adopted: processId })
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
