import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { aClient, clientOf, saying, type TestClient } from '../harness/a-client.ts'
import { anEdgeProcess } from '../harness/a-process.ts'
import { anEdgeSystem } from '../harness/an-edge.ts'
import { expectLedgerToBalance } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'

const system = perFile(anEdgeSystem)
afterEach(async () => {
  await recover()
  await expectLedgerToBalance(system.context.sql)
})

const under = (key: string) => ({ 'idempotency-key': key })
const away = '57P03' // as a server that is starting up says it
const refused = '23514' // as a row that never fits

test.each([false, true])(
  'Postgres fails between the charge and keeping (stream: %s): the client has its answer, and so has the next try, for one charge',
  async stream => {
    const client = await aClient(system)
    system.simulator.reset()
    const body = { ...saying('say 5 words'), stream }
    await fail('update', away)
    const first = await client.post('/chat/completions', body, under('kept later'))
    expect(first.status).toBe(200)
    const text = await first.text()
    const next = client.post('/chat/completions', body, under('kept later'))
    await sleep(200)
    await recover()
    const again = await next
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(await again.text()).toBe(text)
    expect(system.simulator.calls).toHaveLength(1)
    expect(await requestsOf(client)).toEqual([{ status: 200, charges: 1 }])
  },
)

test('an answer that cannot be kept at all: the next try runs again, under the same id, and is not charged again', async () => {
  const client = await aClient(system)
  system.simulator.reset()
  await fail('update', refused, 'when (new.status is not null)')
  const [first, again] = [
    await client.post('/chat/completions', saying('Hi'), under('never kept')),
    await client.post('/chat/completions', saying('Hi'), under('never kept')),
  ]
  expect([first.status, again.status]).toEqual([200, 200])
  expect(again.headers.get('x-request-id')).toBe(first.headers.get('x-request-id'))
  expect(system.simulator.calls).toHaveLength(2)
  expect(await requestsOf(client)).toEqual([{ status: 200, charges: 1 }])
})

test('a process dies between the charge and keeping: who takes over is not charged again', async () => {
  const client = await aClient(system)
  const edge = await anEdgeProcess(system)
  await fail('update', away)
  const first = await clientOf(edge, client).post('/chat/completions', saying('Hi'), under('charged'))
  expect(first.status).toBe(200)
  await edge.kill()
  await recover()
  await declareDead(client)
  const again = await client.post('/chat/completions', saying('Hi'), under('charged'))
  expect(again.status).toBe(200)
  expect(again.headers.get('x-request-id')).toBe(first.headers.get('x-request-id'))
  expect(await requestsOf(client)).toEqual([{ status: 200, charges: 1 }])
  await system.context.sql`select lapse_holds('10 s')`
})

test('a process stands still and goes on after another has taken its request over: both tell the same answer', async () => {
  const client = await aClient(system)
  const edge = await anEdgeProcess(system)
  system.simulator.reset()
  const body = saying('say 5 words [[fault: slow;ms=1500]]')
  const first = clientOf(edge, client).post('/chat/completions', body, under('taken over'))
  await expect.poll(() => system.simulator.calls.length).toBe(1)
  await declareDead(client)
  const second = client.post('/chat/completions', body, under('taken over'))
  const [one, other] = await Promise.all([first, second])
  expect([one.status, other.status]).toEqual([200, 200])
  expect(await other.json()).toEqual(await one.json())
  expect(system.simulator.calls).toHaveLength(2)
  expect(await requestsOf(client)).toEqual([{ status: 200, charges: 1 }])
  await edge.kill()
  await declareDead(client)
  await system.context.sql`select lapse_holds('10 s')`
})

test('Postgres fails when a failed request releases its key: the repeat waits for the release, then runs again', async () => {
  const client = await aClient(system)
  const body = saying('Hi [[fault: flaky;n=2;status=500;key=given-up-later]]')
  await fail('delete', away)
  expect((await client.post('/chat/completions', body, under('given up later'))).status).toBe(502)
  const next = client.post('/chat/completions', body, under('given up later'))
  await sleep(200)
  await recover()
  expect((await next).status).toBe(200)
  expect(await requestsOf(client)).toEqual([
    { status: 502, charges: 0 },
    { status: 200, charges: 1 },
  ])
})

test('a process dies before it gives up the key of a failed request: who takes over is charged, and logged', async () => {
  const client = await aClient(system)
  const edge = await anEdgeProcess(system)
  const body = saying('Hi [[fault: flaky;n=2;status=500;key=died]]')
  await fail('delete', away)
  expect((await clientOf(edge, client).post('/chat/completions', body, under('died'))).status).toBe(502)
  await edge.kill()
  await recover()
  await declareDead(client)
  expect((await client.post('/chat/completions', body, under('died'))).status).toBe(200)
  expect(await requestsOf(client)).toEqual([
    { status: 502, charges: 0 },
    { status: 200, charges: 1 },
  ])
  await system.context.sql`select lapse_holds('10 s')`
})

test('if Postgres is unavailable when a key is claimed, the request fails with 503, nothing runs, and the key works afterwards', async () => {
  const client = await aClient(system)
  system.simulator.reset()
  await fail('insert', away)
  const response = await client.post('/chat/completions', saying('Hi'), under('claimed later'))
  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toBe('1')
  expect(await response.json()).toMatchObject({ error: { code: 'unavailable' } })
  expect(system.simulator.calls).toHaveLength(0)
  await recover()
  expect((await client.post('/chat/completions', saying('Hi'), under('claimed later'))).status).toBe(200)
  expect(await requestsOf(client)).toEqual([{ status: 200, charges: 1 }])
})

/** Makes Postgres fail this operation on idempotency keys with the given SQLSTATE. */
async function fail(what: 'insert' | 'update' | 'delete', sqlState: string, when = ''): Promise<void> {
  await system.context.sql.unsafe(`
    create or replace function fail_now() returns trigger language plpgsql as $$
    begin raise exception 'not now' using errcode = '${sqlState}'; end $$;
    create trigger fail_now before ${what} on idempotency_keys for each row ${when} execute function fail_now()`)
}

async function recover(): Promise<void> {
  await system.context.sql`drop trigger if exists fail_now on idempotency_keys`
}

/** As if ten seconds had passed since the last heartbeat of who works on a key of the account. */
async function declareDead({ accountId }: TestClient): Promise<void> {
  await system.context.sql`
    update processes set heartbeat_at = '-infinity'
    where id in (select process_id from idempotency_keys where account_id = ${accountId})`
}

/** The request log of an account, and how often each was charged. */
async function requestsOf({ accountId }: TestClient): Promise<{ status: number; charges: number }[]> {
  return [
    ...(await system.context.sql<{ status: number; charges: number }[]>`
      select status, (select count(*)::int from transactions t
        where t.account_id = l.account_id and t.request_id = l.id) as charges
      from request_logs l where account_id = ${accountId} order by created_at, status desc`),
  ]
}
