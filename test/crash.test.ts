import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { lapseHolds } from '../domain/ledger/lapse-holds.ts'
import { aClient, clientOf, saying, type TestClient } from './harness/a-client.ts'
import { anEdgeProcess } from './harness/a-process.ts'
import { anEdgeHouse, type EdgeHouse } from './harness/an-edge.ts'
import { balanceOf, expectLedgerToBalance } from './harness/invariants.ts'

let house: EdgeHouse

beforeAll(async () => {
  house = await anEdgeHouse()
})
afterEach(() => expectLedgerToBalance(house.context.sql))
afterAll(() => house.close())

test('two edge processes, a balance for exactly ten requests, a hundred at once', async () => {
  const first = await aClient(house, { creditNanos: 0n })
  const other = await anEdgeProcess(house)
  const costNanos = await costOfOne()
  await house.context.sql`
    insert into transactions (account_id, id, source, credits_nanos, payment_method, status)
    values (${first.accountId}, 'txn_ten', 'ten', ${10n * costNanos}, 'grant', 'completed')`
  await house.context.sql`
    update balances set credits_nanos = ${10n * costNanos} where account_id = ${first.accountId}`
  const second = clientOf(other, first)
  const statuses = await Promise.all(
    Array.from({ length: 100 }, (_, turn) =>
      (turn % 2 ? first : second).post('/chat/completions', exactly).then(response => response.status),
    ),
  )
  const paid = statuses.filter(status => status === 200).length
  expect(paid).toBeGreaterThan(0)
  expect(paid).toBeLessThanOrEqual(10)
  expect(statuses.every(status => status === 200 || status === 402)).toBe(true)
  const { credits, in_use } = await balanceOf(house.context.sql, first.accountId)
  expect(credits).toBe(BigInt(10 - paid) * costNanos)
  expect(in_use).toBe(0n)
  await other.kill()
})

test.each([
  ['before the upstream call answers', 'Hi [[fault: hang]]', false],
  ['in the middle of a stream', 'say 800 words [[fault: trickle;ms=20]]', true],
])('an edge killed %s charges nothing, and its hold lapses', async (_, content, stream) => {
  const edge = await anEdgeProcess(house)
  const client = await aClient(house)
  const pending = clientOf(edge, client)
    .post('/chat/completions', { ...saying(content), stream })
    .then(response => response.text())
    .catch(() => 'cut')
  await untilHeld(client)
  await edge.kill()
  expect(await pending).not.toContain('[DONE]')
  await lapsed(client)
  expect(await balanceOf(house.context.sql, client.accountId)).toEqual({
    credits: 100_000_000_000n,
    held: 0n,
    in_use: 0n,
  })
})

test('an edge killed right after its answers: every answer that was given is charged, once', async () => {
  const edge = await anEdgeProcess(house)
  const client = await aClient(house)
  let answered = 0
  const load = Array.from({ length: 20 }, async () => {
    for (;;) {
      const response = await clientOf(edge, client).post('/chat/completions', saying('Hi'))
      await response.json()
      if (response.status === 200) answered += 1
    }
  }).map(loop => loop.catch(() => {}))
  await sleep(800)
  await edge.kill()
  await Promise.all(load)
  await lapsed(client)
  const [charged] = await house.context.sql<{ requests: number }[]>`
    select count(*)::int as requests from transactions
    where account_id = ${client.accountId} and request_id is not null`
  expect(answered).toBeGreaterThan(20)
  // What was settled when the process died may have missed its client, never the other way round.
  expect(charged!.requests).toBeGreaterThanOrEqual(answered)
  expect(charged!.requests - answered).toBeLessThanOrEqual(20)
  expect((await balanceOf(house.context.sql, client.accountId)).held).toBe(0n)
})

/** One word each way: every such request costs the same, and exactly what is held for it. */
const exactly = { ...saying('Hi'), max_tokens: 1 }

async function costOfOne(): Promise<bigint> {
  const probe = await aClient(house)
  await probe.post('/chat/completions', exactly)
  const { credits } = await balanceOf(house.context.sql, probe.accountId)
  return 100_000_000_000n - credits
}

async function untilHeld({ accountId }: TestClient): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if ((await balanceOf(house.context.sql, accountId)).in_use > 0n) return
    await sleep(30)
  }
  throw new Error('nothing was held')
}

/** Holds of dead processes lapse ten seconds after their last heartbeat: here as if those had passed. */
async function lapsed({ accountId }: TestClient): Promise<void> {
  const { sql } = house.context
  await sql`
    update processes set heartbeat_at = '-infinity'
    where id in (select process_id from holds where account_id = ${accountId})`
  expect(await lapseHolds({ sql })).toBe(1)
}
