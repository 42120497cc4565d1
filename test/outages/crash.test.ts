import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lapseHolds } from '../../domain/ledger/process-row.ts'
import { aClient, clientOf, saying, type TestClient } from '../harness/a-client.ts'
import { anEdgeProcess, type EdgeProcess } from '../harness/a-process.ts'
import { theEdgeSystem } from '../harness/an-edge.ts'
import { balanceOf } from '../harness/invariants.ts'
import { aPostgresProxy } from '../harness/postgres/a-postgres-proxy.ts'

const system = theEdgeSystem()

// No worker runs here, so that no hold lapses, however slow the machine is: an answer that is not paid is a fault.
describe('two edge processes', () => {
  let other: EdgeProcess
  beforeAll(async () => {
    other = await anEdgeProcess(system)
  })
  afterAll(() => other.kill())

  describe.each([
    ['balance', 'insufficient_credits', (nanos: bigint) => ({ creditNanos: nanos })],
    ['cap', 'credit_limit_reached', (nanos: bigint) => ({ limitNanos: nanos })],
  ])('a %s for exactly ten requests', (_, refusedAs, limit) => {
    test.each([false, true])(
      'of a hundred at once ten succeed, and nothing stays held: streamed %j',
      async stream => {
        const costNanos = await costOfOne()
        const first = await aClient(system, limit(9n * costNanos + heldForOneNanos))
        const second = clientOf(other, first)
        const before = await balanceOf(system.context.sql, first.accountId)
        const statuses: number[] = []
        const ask = async (turn: number): Promise<void> => {
          const response = await (turn % 2 ? first : second).post('/chat/completions', { ...exactly, stream })
          const text = await response.text()
          // The machine stood still for seconds: nothing was given.
          if (response.status === 503) return ask(turn)
          if (response.status !== 200)
            expect(JSON.parse(text)).toMatchObject({ code: 402, error: { code: refusedAs } })
          else if (stream) expect(text).toMatch(/\[DONE\]|settlement_unknown/)
          statuses.push(response.status)
        }
        const paid = () => statuses.filter(status => status === 200).length
        await Promise.all(Array.from({ length: 100 }, (_item, turn) => ask(turn)))
        expect(paid()).toBe(10)
        for (let turn = 0; turn < 4; turn++) await ask(turn)
        expect(paid()).toBe(10)
        const credits = before.credits - 10n * costNanos
        await expect
          .poll(() => balanceOf(system.context.sql, first.accountId))
          .toEqual({ credits, held: 0n, in_use: 0n })
      },
    )
  })
})

test.each([
  ['while its money is on hold and the vendor not yet reached', 'Hi', 'dialled'],
  ['before the upstream call answers', 'Hi [[fault: hang]]', 'called'],
  ['in the middle of a stream', 'say 800 words [[fault: trickle;ms=20]]', 'streaming'],
])('an edge killed %s charges nothing, and its hold lapses', async (_, content, moment) => {
  const deaf = await aDeafVendor()
  system.simulator.reset()
  const edge = await anEdgeProcess(system, moment === 'dialled' ? { VENDOR_A_BASE_URL: deaf.url } : {})
  const client = await aClient(system)
  const body = { ...saying(content), stream: moment === 'streaming' }
  const begun = clientOf(edge, client).post('/chat/completions', body)
  const pending = begun.then(response => response.text()).catch(() => 'cut')
  await untilHeld(client)
  if (moment === 'dialled') await deaf.dialled
  else await expect.poll(() => system.simulator.calls.length).toBe(1)
  if (moment === 'streaming') expect((await begun).status).toBe(200)
  await edge.kill()
  await deaf.close()
  expect(system.simulator.calls).toHaveLength(moment === 'dialled' ? 0 : 1)
  expect(await pending).not.toContain('[DONE]')
  await lapsed(client)
  await expectUntouched(client)
})

test('an edge killed while it asks for its money: what is granted to nobody lapses', async () => {
  const proxy = await aPostgresProxy(system.config.databaseUrl)
  const edge = await anEdgeProcess(system, { DATABASE_URL: proxy.url })
  const client = await aClient(system)
  system.simulator.reset()
  // Postgres grants the money, but its response never reaches the edge.
  proxy.swallowAnswersTo(`(${client.accountId},`)
  const pending = clientOf(edge, client)
    .post('/chat/completions', saying('Hi'))
    .catch(() => 'cut')
  await expect.poll(() => holdsOf(client)).toBe(1)
  await edge.kill()
  expect(await pending).toBe('cut')
  await lapsed(client)
  expect(system.simulator.calls).toEqual([])
  await expectUntouched(client)
  await proxy.close()
})

test('an edge killed right after its answers: every answer that was given is charged, once', async () => {
  const edge = await anEdgeProcess(system)
  const client = await aClient(system)
  let answered = 0
  const load = Array.from({ length: 20 }, async () => {
    for (;;) {
      const response = await clientOf(edge, client).post('/chat/completions', saying('Hi'))
      await response.json()
      if (response.status === 200) answered += 1
    }
  }).map(loop => loop.catch(() => {}))
  await expect.poll(() => answered, { timeout: 15_000 }).toBeGreaterThan(20)
  await edge.kill()
  await Promise.all(load)
  await lapsed(client)
  const [charged] = await system.context.sql<{ requests: number }[]>`
    select count(*)::int as requests from transactions
    where account_id = ${client.accountId} and request_id is not null`
  // A request that was settled before the process died may be undelivered, but every delivered response is settled.
  expect(charged!.requests).toBeGreaterThanOrEqual(answered)
  expect(charged!.requests - answered).toBeLessThanOrEqual(20)
  expect((await balanceOf(system.context.sql, client.accountId)).held).toBe(0n)
})

/** One word each way: every such request costs the same. */
const exactly = { ...saying('Hi'), max_tokens: 1 }

/** The amount that is held if the balance is low: one token per byte, eight for the message, one for the answer. */
const heldForOneNanos = (2n + 8n) * 1_250n + 10_000n

async function costOfOne(): Promise<bigint> {
  const probe = await aClient(system)
  await probe.post('/chat/completions', exactly)
  const { credits } = await balanceOf(system.context.sql, probe.accountId)
  return 100_000_000_000n - credits
}

async function untilHeld({ accountId }: TestClient): Promise<void> {
  await expect.poll(async () => (await balanceOf(system.context.sql, accountId)).in_use).toBeGreaterThan(0n)
}

/** Holds of dead processes lapse ten seconds after their last heartbeat: here as if those had passed. */
async function lapsed(client: TestClient): Promise<void> {
  const { sql } = system.context
  await sql`
    update processes set heartbeat_at = '-infinity'
    where id in (select process_id from holds where account_id = ${client.accountId})`
  expect(await lapseHolds({ sql })).toBeGreaterThan(0)
  expect(await holdsOf(client)).toBe(0)
}

async function expectUntouched({ accountId }: TestClient): Promise<void> {
  const untouched = { credits: 100_000_000_000n, held: 0n, in_use: 0n }
  expect(await balanceOf(system.context.sql, accountId)).toEqual(untouched)
}

async function holdsOf({ accountId }: TestClient): Promise<number> {
  const [row] = await system.context.sql<{ holds: number }[]>`
    select count(*)::int as holds from holds where account_id = ${accountId}`
  return row!.holds
}

/** A vendor that takes connections and never shakes hands: no request ever reaches it. */
async function aDeafVendor() {
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket.on('error', () => {}))
  }).listen(0, '127.0.0.1')
  const dialled = once(server, 'connection')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the vendor has no port')
  return {
    url: `https://127.0.0.1:${address.port}/openai/v1`,
    dialled,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
