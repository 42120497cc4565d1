import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject, onTestFinished, test } from 'vitest'
import { openPostgres } from '../../platform/postgres/open-postgres.ts'
import { startSimulator } from '../../simulators/vendors/start-simulator.ts'
import { simulatedVendors } from '../harness/an-edge.ts'
import { theCatalogue } from '../harness/the-catalogue.ts'
import { aLaterRelease, aTaggedRelease, type Release, thisRelease } from './a-release.ts'
import { lastTag } from './last-tag.ts'

const tag = lastTag()

test('an upgrade to a later release fails no request', { timeout: 300_000 }, async () => {
  const env = await theSettings()
  await upgrade(thisRelease(env), aLaterRelease(env))
})

// Before the first release there is no tag.
test.runIf(tag)(
  `an upgrade from the last release, ${tag ?? 'of which there is none'}, fails no request`,
  { timeout: 300_000 },
  async () => {
    const env = await theSettings()
    await upgrade(aTaggedRelease(tag!, env), thisRelease(env))
  },
)

/**
 * Upgrades an installation in the order of docs/operations.md while clients send requests: each must succeed, and the
 * account must be charged what the responses say.
 */
async function upgrade(previous: Release, next: Release): Promise<void> {
  await previous.run('migrate')
  await previous.run('apply-catalogue')
  const printed = await previous.run('create-account', ['owner@example.com'])
  await previous.run('credit-account', ['owner@example.com', '50', 'a grant'])

  const oldControl = await previous.start('control')
  const oldWorker = await previous.start('worker')
  const oldEdge = await previous.start('edge', { CONTROL_URL: oldControl.url })
  const client = await openClient(oldEdge.url, /^password (\S+)$/m.exec(printed)![1]!)
  const edges = [oldEdge.url]
  const traffic = startTraffic(edges, client)
  const early = await client.submit(oldEdge.url)

  const applied = await next.run('migrate')
  expect(applied).toMatch(/^applied /)
  await next.run('apply-catalogue')
  await traffic.progress()

  const restarted = await previous.start('edge', { CONTROL_URL: oldControl.url }) // as after a crash, or a roll-back
  edges.push(restarted.url)
  await traffic.progress()

  const [control, worker] = await Promise.all([next.start('control'), next.start('worker')])
  expect(await oldWorker.stop()).toBe(0)
  const late = await client.submit(oldEdge.url)
  const edge = await next.start('edge', { CONTROL_URL: control.url })
  edges.push(edge.url)
  await traffic.progress()

  for (const old of [oldEdge, restarted]) {
    edges.splice(edges.indexOf(old.url), 1) // what a load balancer does once /readyz is 503
    expect(await old.stop()).toBe(0)
    await traffic.progress()
  }
  expect(await oldControl.stop()).toBe(0)
  await traffic.progress()

  const { faults, costNanos, requests } = await traffic.stop()
  expect(faults).toEqual([])
  expect(requests).toBeGreaterThan(50)
  let taskNanos = 0
  for (const task of [early, late]) taskNanos += await client.costOf(edge.url, task)
  await expect.poll(() => client.spentNanos(edge.url), { timeout: 15_000 }).toBe(costNanos + taskNanos)
  expect(await worker.stop()).toBe(0)
  expect(await edge.stop()).toBe(0)
  expect(await next.run('reconcile')).toContain('1 account, no differences')
}

/** An empty database, a Redis prefix, and simulated vendors. */
async function theSettings(): Promise<Record<string, string>> {
  const url = new URL(inject('postgresUrl'))
  url.pathname = '/postgres'
  const admin = openPostgres({ url: url.toString(), name: 'test-admin', maxConnections: 1 })
  const name = `test_${randomBytes(6).toString('hex')}`
  await admin.unsafe(`create database ${name}`)
  onTestFinished(async () => {
    await admin.unsafe(`drop database if exists ${name} with (force)`)
    await admin.end()
  })
  const simulator = await startSimulator()
  onTestFinished(() => simulator.close())
  url.pathname = `/${name}`
  const { vendors } = await theCatalogue()
  return {
    ...simulatedVendors(vendors, simulator.url),
    NODE_ENV: 'test',
    CATALOG: 'demo',
    DATABASE_URL: url.toString(),
    REDIS_URL: inject('redisUrl'),
    REDIS_PREFIX: `${name}:`,
    MEDIA_FOLDER: inject('mediaFolder'),
    ALLOW_LOOPBACK: 'true',
    RATE_REQUESTS: '1000000',
    CALLS_PER_ADDRESS: '1000000',
    ALLOWANCES: 'management_calls=1000000/1000000',
    DRAIN_DELAY_MS: '500',
    SHUTDOWN_GRACE_MS: '20000',
  }
}

type Client = Awaited<ReturnType<typeof openClient>>

/** Logs in and creates a key, over HTTP alone, so that any two releases can be tested. */
async function openClient(url: string, password: string) {
  const send = async (method: string, address: string, bearer: string, body?: unknown) => {
    const response = await fetch(address, {
      method,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 300)}`)
    return text
  }
  const login = await send('POST', `${url}/api/v1/auth/log-in`, '', { email: 'owner@example.com', password })
  const { access_token: token } = JSON.parse(login)
  const { key } = JSON.parse(await send('POST', `${url}/api/v1/api-keys`, token, { name: 'client' }))
  return {
    /** Resolves to the cost of a chat request in nano-dollars. */
    async chat(edge: string, stream: boolean): Promise<number> {
      const messages = [{ role: 'user', content: 'Hello' }]
      const text = await send('POST', `${edge}/v1/chat/completions`, key, {
        model: 'vendor_a/atlas',
        messages,
        stream,
      })
      if (stream && !text.endsWith('data: [DONE]\n\n'))
        throw new Error(`a stream ended with ${text.slice(-300)}`)
      return nanosOf(Number(/"cost":([\d.e-]+)/.exec(text)![1]))
    },
    async spentNanos(edge: string): Promise<number> {
      const balance = JSON.parse(await send('GET', `${edge}/api/v1/billing/balance`, token))
      return nanosOf(50 - balance.credits)
    },
    async submit(edge: string): Promise<string> {
      const body = { model: 'vendor_i/reel', prompt: 'A river' }
      return JSON.parse(await send('POST', `${edge}/v1/videos/generations`, key, body)).id
    },
    /** Waits until a task has succeeded. Resolves to its cost in nano-dollars. */
    async costOf(edge: string, task: string): Promise<number> {
      const poll = async () => JSON.parse(await send('GET', `${edge}/v1/videos/generations/${task}`, key))
      await expect.poll(async () => (await poll()).status, { timeout: 60_000, interval: 500 }).toBe('success')
      return nanosOf((await poll()).cost)
    },
  }
}

function nanosOf(dollars: number): number {
  return Math.round(dollars * 1e9)
}

/** Pause of each loop between two requests, in milliseconds. Most of the time, processes start. */
const pauseMs = 100

/** Sends requests over all `edges` in turn, a few at a time, until it is stopped. */
function startTraffic(edges: readonly string[], client: Client) {
  const faults: string[] = []
  let [costNanos, requests, isOver] = [0, 0, false]
  const loops = [0, 1, 2].map(async loop => {
    for (let turn = loop; !isOver; turn++) {
      const edge = edges[turn % edges.length]!
      try {
        const isRead = turn % 5 === 0
        const cost = isRead ? await client.spentNanos(edge) : await client.chat(edge, turn % 2 === 0)
        if (!isRead) costNanos += cost
        requests += 1
      } catch (error) {
        faults.push(String(error))
      }
      await sleep(pauseMs)
    }
  })
  return {
    /** Waits until each loop has sent several more requests. */
    async progress(): Promise<void> {
      const before = requests
      await expect.poll(() => requests - before + faults.length, { timeout: 60_000 }).toBeGreaterThan(15)
    },
    async stop() {
      isOver = true
      await Promise.all(loops)
      return { faults, costNanos, requests }
    },
  }
}
