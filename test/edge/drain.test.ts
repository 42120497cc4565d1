import { once } from 'node:events'
import { createServer, get, type RequestListener } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../dev/services/ports.ts'
import { type RunningEdge, startEdge } from '../../inference-edge/start-edge.ts'
import { listen } from '../../platform/http/listen.ts'
import { aClient, clientOf, saying } from '../harness/a-client.ts'
import { anEdgeProcess } from '../harness/a-process.ts'
import { theEdgeSystem } from '../harness/an-edge.ts'
import { balanceOf } from '../harness/invariants.ts'
import { aHeldVendor } from './a-held-vendor.ts'
import { runEdge, throwOnSignal } from './run-process.ts'

const system = theEdgeSystem()

const streamed = { ...saying('Hi'), stream: true }
const endlessAnswer = { ...saying('say 5000 words [[fault: trickle;ms=20]]'), stream: true }

test('on SIGTERM a stream in flight completes, new connections fail, all holds are released and the exit code is 0', async () => {
  const vendor = await aHeldVendor()
  const edge = await anEdgeProcess(system, { VENDOR_A_BASE_URL: vendor.url, SHUTDOWN_GRACE_MS: '60000' })
  const client = clientOf(edge, await aClient(system))
  const ended = once(edge.process, 'exit')
  const answer = await client.post('/chat/completions', streamed)
  edge.process.kill('SIGTERM')
  await expect.poll(() => fetch(`${edge.baseURL}/models`).catch(() => 'closed')).toBe('closed')
  vendor.release()
  expect(await answer.text()).toMatch(/data: \[DONE\]\n\n$/)
  expect(await ended).toEqual([0, null])
  const { credits, held } = await balanceOf(system.context.sql, client.accountId)
  expect(credits).toBeLessThan(100_000_000_000n)
  expect(held).toBe(0n)
})

test('SIGTERM: /readyz says 503 and all is still served for DRAIN_DELAY_MS, then the port closes', async () => {
  const healthPort = String(await freePort())
  const edge = await anEdgeProcess(system, { DRAIN_DELAY_MS: '5000', HEALTH_PORT: healthPort })
  const client = clientOf(edge, await aClient(system))
  const ended = once(edge.process, 'exit')
  const statusOf = async (path: string) => (await fetch(new URL(path, edge.baseURL))).status
  const health = `http://127.0.0.1:${healthPort}`
  expect([await statusOf('/readyz'), await statusOf(`${health}/readyz`)]).toEqual([200, 200])
  edge.process.kill('SIGTERM')
  await expect.poll(() => statusOf('/readyz'), { interval: 10 }).toBe(503)
  expect([await statusOf('/healthz'), await statusOf(`${health}/healthz`)]).toEqual([200, 200])
  expect(await statusOf(`${health}/readyz`)).toBe(503)
  expect((await client.post('/chat/completions', saying('Hi'))).status).toBe(200)
  await expect.poll(() => statusOf('/readyz').catch(() => 'closed')).toBe('closed')
  expect(await ended).toEqual([0, null])
})

test('an uncaught exception: nothing more is accepted, a stream in flight ends whole, exit code 1', async () => {
  const healthPort = String(await freePort())
  const vendor = await aHeldVendor()
  const edge = await runEdge(system.config, {
    NODE_OPTIONS: throwOnSignal,
    HEALTH_PORT: healthPort,
    DRAIN_DELAY_MS: '60000', // of a process without a fault
    SHUTDOWN_GRACE_MS: '60000',
    ALLOW_LOOPBACK: 'true',
    VENDOR_A_API_KEY: 'sim-platform-key',
    VENDOR_A_BASE_URL: vendor.url,
  })
  await edge.linesSaying('ready', 1)
  const client = clientOf({ baseURL: `${edge.url}/v1` }, await aClient(system))
  const answer = await client.post('/chat/completions', streamed)
  edge.tell('SIGUSR2')
  await expect.poll(() => fetch(`${edge.url}/healthz`).catch(() => 'closed')).toBe('closed')
  expect((await fetch(`http://127.0.0.1:${healthPort}/readyz`)).status).toBe(503)
  edge.tell('SIGUSR2')
  await edge.linesSaying('uncaught exception: draining', 2)
  vendor.release()
  expect(await answer.text()).toMatch(/data: \[DONE\]\n\n$/)
  expect(await edge.ended).toEqual({ code: 1, fault: '' })
  const [line] = await edge.linesSaying('uncaught exception: draining', 2)
  expect(line).toMatchObject({ level: 60, error: expect.stringMatching(/^Error: thrown by the test\n +at /) })
  expect((await balanceOf(system.context.sql, client.accountId)).held).toBe(0n)
})

test('a stream that outlasts the grace is cut, and what was produced is charged before the ledger closes', async () => {
  const edge = await startEdge({ ...system.config, shutdownGraceMs: 300 })
  const client = clientOf({ baseURL: `${edge.url}/v1` }, await aClient(system))
  const answer = await client.post('/chat/completions', endlessAnswer)
  const text = answer.text().catch(() => 'cut')
  await edge.close()
  expect(await text).toBe('cut')
  const [log] = await system.context.sql`select * from request_logs where account_id = ${client.accountId}`
  expect(log).toMatchObject({ status: 499, error_code: 'client_left' })
  expect(log?.cost_nanos).toBeGreaterThan(0n)
  expect((await balanceOf(system.context.sql, client.accountId)).held).toBe(0n)
})

test('an answer that is kept for a second try is heard out after its client was cut', async () => {
  const vendor = await aHeldVendor()
  const vendors = new Map(system.config.vendors)
  vendors.set('vendor_a', { ...vendors.get('vendor_a')!, baseUrl: vendor.url })
  const edge = await startEdge({ ...system.config, vendors, shutdownGraceMs: 200 })
  const key = await aClient(system)
  const idempotent = { 'idempotency-key': 'drained' }
  const first = clientOf({ baseURL: `${edge.url}/v1` }, key).post('/chat/completions', streamed, idempotent)
  const text = (await first).text().catch(() => 'cut')
  const closed = edge.close()
  expect(await text).toBe('cut')
  vendor.release()
  await closed
  const again = await key.post('/chat/completions', streamed, idempotent)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(await again.text()).toMatch(/data: \[DONE\]\n\n$/)
})

test('what is passed on ends whole too, also for a client that reads slowly', async () => {
  const body = Buffer.alloc(16_000_000, 'a')
  const [arrived, draining] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const edge = await anEdgeBefore(async (_, response) => {
    arrived.resolve()
    await draining.promise
    response.end(body)
  })
  const responded = once(get(`${edge.url}/api/v1/models`), 'response')
  await arrived.promise
  const closed = edge.close()
  draining.resolve()
  const [answer] = await responded
  await expect.poll(() => answer.readableLength).toBeGreaterThan(0) // it waits for its reader by now
  let length = 0
  for await (const part of answer) length += part.length
  expect(length).toBe(body.length)
  await closed
})

test('a request passed on that outlasts the grace is cut', async () => {
  const arrived = Promise.withResolvers<void>()
  const edge = await anEdgeBefore(() => arrived.resolve(), { shutdownGraceMs: 300 })
  const outcome = fetch(`${edge.url}/api/v1/models`).catch(() => 'cut')
  await arrived.promise
  await edge.close()
  expect(await outcome).toBe('cut')
})

test('subscriptions have no end and are not waited for', async () => {
  const openStream: RequestListener = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(':\n\n')
  }
  // An edge that waited would outlast the test.
  const edge = await anEdgeBefore(openStream, { shutdownGraceMs: 600_000 })
  const answer = await fetch(`${edge.url}/graphql`)
  expect(answer.ok).toBe(true)
  await edge.close()
})

/** An edge before a control plane that answers as the test says. */
async function anEdgeBefore(
  answer: RequestListener,
  options: { shutdownGraceMs?: number } = {},
): Promise<RunningEdge> {
  const plane = await listen(createServer(answer), { host: '127.0.0.1', port: 0 })
  onTestFinished(() => plane.drain(0))
  return startEdge({ ...system.config, controlUrl: plane.url, ...options })
}
