import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { aClient, clientOf, saying } from '../harness/a-client.ts'
import { anEdgeProcess } from '../harness/a-process.ts'
import { anApiKey } from '../harness/an-account.ts'
import { theEdgeSystem } from '../harness/an-edge.ts'

const system = theEdgeSystem()

const under = (key: string) => ({ 'idempotency-key': key })

test.each([false, true])(
  'fifty at once under one key (stream: %s): one upstream call, one charge, one answer',
  async stream => {
    const client = await aClient(system)
    system.simulator.reset()
    const body = { ...saying('say 30 words [[fault: slow;ms=200]]'), stream }
    const answers = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const response = await client.post('/chat/completions', body, under('fifty'))
        return [response.status, response.headers.get('content-type'), await response.text()]
      }),
    )
    expect(new Set(answers.map(answer => JSON.stringify(answer))).size).toBe(1)
    expect(answers[0]?.[0]).toBe(200)
    expect(system.simulator.calls).toHaveLength(1)
    expect(await chargesOf(client.accountId)).toBe(1)
  },
)

test('another body under the same key is a conflict', async () => {
  const client = await aClient(system)
  await client.post('/chat/completions', saying('one'), under('same'))
  const response = await client.post('/chat/completions', saying('two'), under('same'))
  expect(response.status).toBe(409)
  expect(await response.json()).toMatchObject({
    error: { code: 'idempotency_conflict', param: 'Idempotency-Key' },
  })
})

test('a key has at most 255 characters', async () => {
  const client = await aClient(system)
  expect((await client.post('/chat/completions', saying('Hi'), under('k'.repeat(255)))).status).toBe(200)
  const response = await client.post('/chat/completions', saying('Hi'), under('k'.repeat(256)))
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({
    error: { code: 'invalid_request', param: 'Idempotency-Key' },
  })
})

test('another API key of the account has another request under the same Idempotency-Key', async () => {
  const client = await aClient(system)
  const other = clientOf(system, await anApiKey(system.context, { accountId: client.accountId }))
  for (const [who, charges] of [
    [client, 1],
    [other, 2],
  ] as const) {
    const answer = await who.post('/chat/completions', saying('Hi'), under('shared'))
    expect(answer.headers.get('idempotent-replayed')).toBeNull()
    expect(await chargesOf(client.accountId)).toBe(charges)
  }
  const own = await other.post('/chat/completions', saying('Hi'), under('shared'))
  expect(own.headers.get('idempotent-replayed')).toBe('true')
  expect((await other.post('/chat/completions', saying('Ho'), under('shared'))).status).toBe(409)
})

test('repeats count within the rates, and are refused before anything is looked up', async () => {
  const client = await aClient(system, { rpm: 3 })
  const statuses = []
  for (let turn = 0; turn < 5; turn++) {
    statuses.push((await client.post('/chat/completions', saying('Hi'), under('limited'))).status)
  }
  expect(statuses).toEqual([200, 200, 200, 429, 429])
})

test('the same key of two accounts are two keys', async () => {
  const [first, second] = [await aClient(system), await aClient(system)]
  for (const client of [first, second]) {
    expect((await client.post('/chat/completions', saying('Hi'), under('shared'))).status).toBe(200)
    expect(await chargesOf(client.accountId)).toBe(1)
  }
})

test('a failure keeps nothing: the next try runs', async () => {
  const client = await aClient(system)
  const body = saying('Hi [[fault: flaky;n=2;status=500;key=idempotency]]')
  expect((await client.post('/chat/completions', body, under('flaky'))).status).toBe(502)
  expect((await client.post('/chat/completions', body, under('flaky'))).status).toBe(200)
})

test('a client that leaves a stream and asks again gets all of it, for one charge', async () => {
  const client = await aClient(system)
  system.simulator.reset()
  const body = { ...saying('say 60 words [[fault: trickle;ms=10]]'), stream: true }
  const leaving = new AbortController()
  const response = await client.post('/chat/completions', body, under('leaver'), leaving.signal)
  await response.body!.getReader().read()
  leaving.abort()
  const again = await client.post('/chat/completions', body, under('leaver'))
  expect(await again.text()).toMatch(/\[DONE\]\n\n$/)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(system.simulator.calls).toHaveLength(1)
  expect(await chargesOf(client.accountId)).toBe(1)
})

test('a process killed under a key: another one takes the request over, and it is charged once', async () => {
  const edge = await anEdgeProcess(system)
  const client = await aClient(system)
  const body = saying('Hi [[fault: slow;ms=1500]]')
  const lost = clientOf(edge, client)
    .post('/chat/completions', body, under('killed'))
    .catch(() => 'lost')
  await sleep(700)
  await edge.kill()
  expect(await lost).toBe('lost')
  await system.context.sql`
    update processes set heartbeat_at = '-infinity'
    where id in (select process_id from idempotency_keys where account_id = ${client.accountId})`
  expect((await client.post('/chat/completions', body, under('killed'))).status).toBe(200)
  expect(await chargesOf(client.accountId)).toBe(1)
  await system.context.sql`select lapse_holds('10 s')`
})

async function chargesOf(accountId: string): Promise<number> {
  const [row] = await system.context.sql<{ charges: number }[]>`
    select count(*)::int as charges from transactions where account_id = ${accountId} and request_id is not null`
  return row!.charges
}
