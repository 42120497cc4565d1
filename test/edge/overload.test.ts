import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { aClient, clientOf, saying, type TestClient } from '../harness/a-client.ts'
import { anEdgeProcess } from '../harness/a-process.ts'
import { anEdgeSystem, type EdgeSystem } from '../harness/an-edge.ts'
import { expectLedgerToBalance } from '../harness/invariants.ts'

let system: EdgeSystem

afterEach(() => expectLedgerToBalance(system.context.sql))

const slow = saying('Hi [[fault: slow;ms=700]]')
const quick = saying('Hi')

test('beyond MAX_IN_FLIGHT a request is shed at once, those in flight are answered, and then there is room again', async () => {
  await aSystem({ MAX_IN_FLIGHT: '2' })
  const client = await aClient(system)
  const inFlight = await underWay([client, await aClient(system)])
  expect(await told(client.post('/chat/completions', quick))).toEqual(
    overloaded('The service is overloaded. Retry later.'),
  )
  expect((await fetch(`${system.edge.url}/readyz`)).status).toBe(200)
  expect(await Promise.all(inFlight)).toEqual([200, 200])
  expect((await client.post('/chat/completions', quick)).status).toBe(200)
})

test('a few that waited for an event loop that was stuck, by the body of somebody say, are answered', async () => {
  await aSystem()
  const edge = await anEdgeProcess(system)
  onTestFinished(() => edge.kill())
  const client = clientOf(edge, await aClient(system))
  expect((await client.post('/chat/completions', quick)).status).toBe(200)
  edge.process.kill('SIGSTOP')
  const waiting = Array.from({ length: 5 }, () => told(client.post('/chat/completions', quick)))
  await sleep(1_000)
  edge.process.kill('SIGCONT')
  for (const { status } of await Promise.all(waiting)) expect(status).toBe(200)
})

async function aSystem(env: Record<string, string> = {}): Promise<void> {
  system = await anEdgeSystem(env)
  onTestFinished(() => system.close())
}

/** Starts a slow request of each client; answers, once they are under way, with what status each will end. */
async function underWay(clients: TestClient[]): Promise<Promise<number>[]> {
  const statuses = clients.map(client => client.post('/chat/completions', slow).then(({ status }) => status))
  await expect.poll(() => system.simulator.calls.length).toBe(clients.length)
  return statuses
}

async function told(asked: Promise<Response>) {
  const answer = await asked
  const { msg, error } = await answer.json()
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), code: error?.code, msg }
}

const overloaded = (msg: string) => ({ status: 503, retryAfter: '1', code: 'overloaded', msg })
