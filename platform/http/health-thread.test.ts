import { createServer } from 'node:http'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../dev/services/ports.ts'
import { openMetrics } from '../metrics/open-metrics.ts'
import type { Fault } from './health.ts'
import { openHealthThread } from './health-thread.ts'
import { listen } from './listen.ts'

const host = '127.0.0.1'
const redisHealth = { state: 'unavailable', failures: 3 } as const
const redis = { redis: 'unavailable', redis_failures: 3 }

test('a process that can work is ready, one that drains is not, but lives; other paths are not found', async () => {
  const health = await aHealthThread()
  expect(await ask(health.url, '/readyz')).toEqual({ status: 200, body: { status: 'ok', ...redis } })
  health.drain()
  expect(await ask(health.url, '/readyz')).toEqual({
    status: 503,
    body: { status: 'unavailable', reason: 'draining', ...redis },
  })
  expect(await ask(health.url, '/healthz')).toEqual({ status: 200, body: { status: 'ok' } })
  expect(await ask(health.url, '/v1/models')).toMatchObject({ status: 404 })
})

test('one that cannot work is not ready', async () => {
  const { url } = await aHealthThread('postgres')
  expect(await ask(url, '/readyz')).toMatchObject({ status: 503, body: { reason: 'postgres' } })
})

test('health is answered while the event loop of the process is stuck', async () => {
  const { url } = await aHealthThread()
  const asked = new SharedArrayBuffer(4)
  // The request comes from another thread, because this one is blocked.
  const asking = new Worker(
    `const { workerData: { url, asked } } = require('node:worker_threads')
     fetch(url + '/healthz').then(({ status }) => {
       Atomics.store(new Int32Array(asked), 0, status)
       Atomics.notify(new Int32Array(asked), 0)
     })`,
    { eval: true, workerData: { url, asked } },
  )
  onTestFinished(() => void asking.terminate())
  Atomics.wait(new Int32Array(asked), 0, 0, 9_000) // this thread is blocked until it is notified
  expect(Atomics.load(new Int32Array(asked), 0)).toBe(200)
})

test('its metrics are at /metrics, which fails if the process does not answer', async () => {
  const { url } = await aHealthThread()
  const answer = await fetch(`${url}/metrics`)
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(await answer.text()).toContain('started_total{process="edge"} 1')
  const stuck = await aHealthThread(undefined, () => new Promise(() => {}))
  expect((await fetch(`${stuck.url}/metrics`)).status).toBe(503)
}, 30_000)

test('a port that is taken is told of as everywhere', async () => {
  const occupant = await listen(createServer(), { host, port: 0 })
  onTestFinished(() => occupant.drain(0))
  const port = Number(new URL(occupant.url).port)
  await expect(
    openHealthThread({ host, port, findFault: async () => undefined, redisHealth, collect: async () => [] }),
  ).rejects.toMatchObject({ code: 'EADDRINUSE', port })
})

async function aHealthThread(fault?: Fault, collect = collectStarted) {
  const port = await freePort()
  const health = await openHealthThread({ host, port, findFault: async () => fault, redisHealth, collect })
  onTestFinished(() => health.close())
  return health
}

async function collectStarted() {
  const metrics = openMetrics('edge')
  metrics.counter({ name: 'started_total', help: 'Starts.' }).of().value += 1
  return [await metrics.snapshot()]
}

async function ask(url: string, path: string) {
  const answer = await fetch(url + path)
  expect(answer.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/)
  return { status: answer.status, body: await answer.json() }
}
