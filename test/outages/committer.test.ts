import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readTree } from '../../bench/measure/process-tree.ts'
import { freePort } from '../../dev/services/ports.ts'
import { aClient, clientOf, saying, type TestClient } from '../harness/a-client.ts'
import { anEdgeProcess, type EdgeProcess } from '../harness/a-process.ts'
import { theEdgeSystem } from '../harness/an-edge.ts'
import { balanceOf, logsOf } from '../harness/invariants.ts'

// No worker runs here, so that no hold lapses, however slow the machine is: an answer that is not paid is a fault.
const system = theEdgeSystem()
let edge: EdgeProcess
let health: string
beforeAll(async () => {
  const healthPort = await freePort()
  health = `http://127.0.0.1:${healthPort}`
  edge = await anEdgeProcess(system, { EDGE_PROCESSES: '2', HEALTH_PORT: String(healthPort) })
})
afterAll(async () => {
  const ended = once(edge.process, 'exit')
  edge.process.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
})

const small = { ...saying('Hi'), max_tokens: 1 }

test('money for exactly ten requests over two processes serves ten of a hundred at once', async () => {
  const costNanos = await costOfOne()
  const client = clientOf(edge, await aClient(system, { creditNanos: 9n * costNanos + 22_500n }))
  const statuses = await Promise.all(Array.from({ length: 100 }, () => statusOf(client)))
  expect(statuses.filter(status => status === 200)).toHaveLength(10)
  expect(statuses.filter(status => status !== 200 && status !== 402)).toEqual([])
  expect(await logsOf(system, client)).toHaveLength(100)
})

test('a committer that is killed under load loses no charge and gives nothing away', async () => {
  const client = clientOf(edge, await aClient(system))
  const before = await balanceOf(system.context.sql, client.accountId)
  let isOver = false
  const statuses: number[] = []
  const ask = async () => {
    while (!isOver) {
      const status = await statusOf(client)
      statuses.push(status)
      if (status !== 200) await sleep(50)
    }
  }
  const asking = Promise.all(Array.from({ length: 6 }, ask))
  for (let turn = 0; turn < 2; turn++) {
    await sleep(700)
    const pid = committerPid()
    process.kill(pid, 'SIGKILL')
    await expect.poll(committerPid, { timeout: 20_000 }).not.toBe(pid)
    const answered = () => statuses.filter(status => status === 200).length
    const known = answered()
    await expect.poll(answered, { timeout: 20_000 }).toBeGreaterThan(known + 20)
  }
  isOver = true
  await asking
  const costNanos = await costOfOne()
  const charged = (await logsOf(system, client)).filter(({ cost_nanos }) => cost_nanos > 0n)
  expect(charged).toHaveLength(statuses.filter(status => status === 200).length)
  expect(statuses.filter(status => status !== 200 && status !== 503)).toEqual([])
  const credits = before.credits - BigInt(charged.length) * costNanos
  await expect
    .poll(() => balanceOf(system.context.sql, client.accountId), { timeout: 10_000 })
    .toMatchObject({ credits, in_use: 0n })
}, 90_000)

test('a stream that runs while the committer is killed ends and is charged', async () => {
  const client = clientOf(edge, await aClient(system))
  const response = await client.post('/chat/completions', {
    ...saying('say 100 words [[fault: trickle;ms=60]]'),
    stream: true,
  })
  expect(response.status).toBe(200)
  process.kill(committerPid(), 'SIGKILL')
  expect(await response.text()).toContain('[DONE]')
  expect(await logsOf(system, client)).toMatchObject([{ status: 200, usage_estimated: false }])
  await expect
    .poll(() => balanceOf(system.context.sql, client.accountId), { timeout: 10_000 })
    .toMatchObject({ in_use: 0n })
}, 60_000)

test('while the committer stands still, requests fail with 503 and no process is ready; then all goes on', async () => {
  const client = clientOf(edge, await aClient(system))
  expect(await statusOf(client)).toBe(200)
  const pid = committerPid()
  process.kill(pid, 'SIGSTOP')
  try {
    const refused = await client.post('/chat/completions', small)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    const since = performance.now()
    for (let turn = 0; turn < 4; turn++) expect(await statusOf(client)).toBe(503)
    expect(performance.now() - since).toBeLessThan(2_000)
    for (const url of [edge.baseURL, health])
      await expect.poll(() => readiness(url), { timeout: 5_000 }).toMatchObject({ reason: 'committer' })
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  await expect.poll(() => statusOf(client), { timeout: 10_000 }).toBe(200)
  const costs = (await logsOf(system, client)).filter(({ cost_nanos }) => cost_nanos > 0n)
  expect(costs).toHaveLength(2)
}, 60_000)

test('an edge process that is killed keeps no money and is not charged', async () => {
  const client = clientOf(edge, await aClient(system))
  const requests = Array.from({ length: 4 }, () =>
    client.post('/chat/completions', saying('Hi [[fault: hang]]')).catch(() => undefined),
  )
  const inUse = async () => (await balanceOf(system.context.sql, client.accountId)).in_use
  await expect.poll(inUse, { timeout: 10_000 }).toBeGreaterThan(0n)
  await sleep(500) // all four have reserved
  for (const { pid } of workers()) process.kill(pid, 'SIGKILL')
  await Promise.all(requests)
  await expect.poll(inUse, { timeout: 10_000 }).toBe(0n)
  const { credits } = await balanceOf(system.context.sql, client.accountId)
  expect(credits).toBe(100_000_000_000n)
  await expect.poll(() => statusOf(client), { timeout: 20_000 }).toBe(200)
}, 60_000)

test('a connection that a process has not accepted before it is killed ends, or is served by the next one', async () => {
  const client = clientOf(edge, await aClient(system))
  const pids = workers().map(({ pid }) => pid)
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  const waiting = Array.from({ length: 4 }, () => statusOf(client))
  await sleep(300) // the connections wait at the port
  for (const pid of [...pids, committerPid()]) process.kill(pid, 'SIGKILL')
  expect([0, 200, 503]).toEqual(expect.arrayContaining(await Promise.all(waiting)))
  await expect.poll(() => statusOf(client), { timeout: 20_000 }).toBe(200)
}, 30_000)

/** Sends a request. Resolves to its status; zero if the connection failed. */
async function statusOf(client: TestClient): Promise<number> {
  try {
    const response = await client.post('/chat/completions', small)
    await response.text()
    return response.status
  } catch {
    return 0
  }
}

async function readiness(url: string): Promise<unknown> {
  const response = await fetch(new URL('/readyz', url))
  return response.json()
}

async function costOfOne(): Promise<bigint> {
  const probe = clientOf(edge, await aClient(system))
  await expect.poll(() => statusOf(probe), { timeout: 10_000 }).toBe(200)
  const { credits } = await balanceOf(system.context.sql, probe.accountId)
  return 100_000_000_000n - credits
}

function processes() {
  return readTree(edge.process.pid!).map(({ pid }) => ({
    pid,
    isCommitter: readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('committer-main'),
  }))
}

function committerPid(): number {
  return processes().find(({ isCommitter }) => isCommitter)?.pid ?? 0
}

/** The processes that serve requests. */
function workers() {
  return processes().filter(({ pid, isCommitter }) => pid !== edge.process.pid && !isCommitter)
}
