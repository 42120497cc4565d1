import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../dev/services/ports.ts'
import { listen } from '../../platform/http/listen.ts'
import { aSystem } from '../harness/a-context.ts'
import { anAccount, anApiKey } from '../harness/an-account.ts'
import { perFile } from '../harness/per-file.ts'
import { runEdge, stallOnStop, throwOnSignal } from './run-process.ts'

const system = perFile(aSystem)

const two = { EDGE_PROCESSES: '2' }

test('two workers serve one port, one that is killed is replaced, SIGTERM ends them all, however slowly they close', async () => {
  const healthPort = await freePort()
  const edge = await runEdge(system.config, {
    ...two,
    HEALTH_PORT: String(healthPort),
    NODE_OPTIONS: stallOnStop,
    SHUTDOWN_GRACE_MS: '0', // each worker then has five seconds to close, and the committer closes after them
  })
  const started = await edge.linesSaying('ready', 4)
  const pids = started.filter(({ name }) => name === 'edge').map(({ pid }) => Number(pid))
  expect(pids).toContain(edge.pid)
  const answers = async () => (await fetch(`${edge.url}/readyz`)).status
  expect(await answers()).toBe(200)
  const health = `http://127.0.0.1:${healthPort}`
  await expect.poll(async () => (await fetch(`${health}/readyz`)).status).toBe(200)
  expect((await fetch(`${health}/healthz`)).status).toBe(200)

  const [killed] = pids.filter(pid => pid !== edge.pid)
  process.kill(killed!, 'SIGKILL')
  expect(await edge.linesSaying('a worker ended', 1)).toMatchObject([
    { worker: killed, signalCode: 'SIGKILL' },
  ])
  expect(await answers()).toBe(200)
  const ready = await edge.linesSaying('ready', 5)
  expect(await answers()).toBe(200)

  edge.tell('SIGTERM')
  expect(await edge.ended).toEqual({ code: 0, fault: '' })
  for (const line of ready) expect(isAlive(Number(line.pid))).toBe(false)
}, 180_000)

test('a worker with an uncaught exception is replaced while it drains', async () => {
  const edge = await runEdge(system.config, {
    ...two,
    NODE_OPTIONS: throwOnSignal,
    SHUTDOWN_GRACE_MS: '60000',
  })
  const started = await edge.linesSaying('ready', 4)
  const faulty = started.find(({ name, pid }) => name === 'edge' && pid !== edge.pid)
  // Two requests whose body does not arrive. The other worker is stopped, so that this one accepts them.
  const other = started.find(({ name, pid }) => name === 'edge' && pid !== edge.pid && pid !== faulty?.pid)
  process.kill(Number(other?.pid), 'SIGSTOP')
  const { hostname, port } = new URL(edge.url)
  const { text: key } = await anApiKey(system.context, await anAccount(system.context))
  const head = [
    'host: x',
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    'content-length: 9',
  ]
  const sockets = Array.from({ length: 2 }, () => connect(Number(port), hostname))
  onTestFinished(() => sockets.forEach(socket => void socket.destroy()))
  for (const socket of sockets) {
    socket.write(`POST /v1/chat/completions HTTP/1.1\r\n${head.join('\r\n')}\r\nexpect: 100-continue\r\n\r\n`)
    await once(socket, 'data')
  }
  process.kill(Number(other?.pid), 'SIGCONT')
  process.kill(Number(faulty?.pid), 'SIGUSR2')
  await edge.linesSaying('ready', 5)
  expect(edge.words()).not.toContain('a worker ended')
  for (const socket of sockets) socket.destroy()
  expect(await edge.linesSaying('a worker ended', 1)).toMatchObject([{ worker: faulty?.pid, exitCode: 1 }])
  edge.tell('SIGTERM')
  expect(await edge.ended).toEqual({ code: 0, fault: '' })
}, 180_000)

test('when the process that started them is killed, the workers end and leave the port, also while they start', async () => {
  const edge = await runEdge(system.config, two)
  const started = await edge.linesSaying('ready', 2) // the committer and the first worker; the second one is starting
  const pids = started.map(({ pid }) => Number(pid))
  edge.tell('SIGKILL')
  const port = Number(new URL(edge.url).port)
  const canListen = async () => {
    const next = await listen(createServer(), { host: '127.0.0.1', port }).catch(() => undefined)
    await next?.drain(0)
    return next !== undefined
  }
  await expect.poll(canListen, { timeout: 30_000 }).toBe(true)
  await expect.poll(() => pids.some(isAlive), { timeout: 30_000 }).toBe(false)
}, 180_000)

test('a busy port is one line and exit code 1, with any number of processes', async () => {
  const occupant = await listen(createServer(), { host: '127.0.0.1', port: 0 })
  onTestFinished(() => occupant.drain(0))
  const { port } = new URL(occupant.url)
  for (const env of [{}, two]) {
    const edge = await runEdge(system.config, { ...env, EDGE_PORT: port })
    const fault = `edge: port ${port} is in use: stop the process that listens there, or choose another\n`
    expect(await edge.ended).toEqual({ code: 1, fault })
    expect(edge.logLines().filter(({ name, msg }) => name === 'edge' && msg === 'ready')).toEqual([])
  }
}, 180_000)

test('a database that does not answer is one line that names the setting', async () => {
  for (const env of [{}, two]) {
    const edge = await runEdge(system.config, {
      ...env,
      DATABASE_URL: 'postgres://postgres@127.0.0.1:1/none',
    })
    expect(await edge.ended).toEqual({
      code: 1,
      fault: 'edge: DATABASE_URL: nothing answers at 127.0.0.1:1\n',
    })
  }
}, 180_000)

test('so is one that was not migrated', async () => {
  const url = new URL(system.config.databaseUrl)
  url.pathname = '/postgres'
  const edge = await runEdge(system.config, { DATABASE_URL: url.toString() })
  const fault = 'edge: DATABASE_URL: the database has no tables of Rubicon: npm run migrate\n'
  expect(await edge.ended).toEqual({ code: 1, fault })
}, 180_000)

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
