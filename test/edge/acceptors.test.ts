import { Agent, request } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../dev/services/ports.ts'
import { aClient, saying } from '../harness/a-client.ts'
import { theEdgeSystem } from '../harness/an-edge.ts'
import { runEdge } from './run-process.ts'

const system = theEdgeSystem()

test('one process accepts connections, another one when it freezes, and all of them in a burst', async () => {
  const healthPort = String(await freePort())
  const edge = await runEdge(system.config, {
    EDGE_PROCESSES: '3',
    HEALTH_PORT: healthPort,
    ALLOW_LOOPBACK: 'true',
    VENDOR_A_API_KEY: 'sim-platform-key',
    VENDOR_A_BASE_URL: `${system.simulator.url}/openai/v1`,
    RATE_REQUESTS: '1000000',
  })
  // Three workers, their committer, and the process that started them.
  const ready = () => edge.logLines().filter(({ msg }) => msg === 'ready').length
  await expect.poll(ready, { timeout: 90_000 }).toBe(5)
  const { text: key } = await aClient(system)
  const requestLines = () => edge.logLines().filter(({ path }) => path === '/v1/chat/completions')
  const servedBy = async (count: number, { mayRefuse = false } = {}) => {
    const before = requestLines().length
    const statuses = await Promise.all(Array.from({ length: count }, () => statusOf(edge.url, key)))
    const answered = statuses.filter(status => status === 200).length
    expect(statuses.filter(status => status !== 200 && status !== 503)).toEqual([])
    if (!mayRefuse) expect(answered).toBe(count)
    // A line of an earlier request may arrive late.
    await expect.poll(() => requestLines().length).toBeGreaterThanOrEqual(before + answered)
    const served = requestLines().slice(before)
    return [...new Set(served.map(({ pid }) => Number(pid)))]
  }

  // One accepts, unless it is busy, as new processes are for a moment.
  let accepting: number[] = []
  const acceptsAlone = async () => {
    accepting = await servedBy(10)
    return accepting.length
  }
  await expect.poll(acceptsAlone, { timeout: 60_000 }).toBe(1)

  // When it freezes, the next connections are served before it is killed, and the edge stays ready.
  const [frozen = 0] = accepting
  process.kill(frozen, 'SIGSTOP')
  onTestFinished(() => endProcess(frozen))
  expect(await servedBy(10)).not.toContain(frozen)
  expect(edge.logLines().filter(({ msg }) => msg === 'a worker ended')).toEqual([])
  expect((await fetch(`http://127.0.0.1:${healthPort}/readyz`)).status).toBe(200)

  // One process has a limit of requests in flight. The two that are not frozen accept a burst beyond it.
  expect(await servedBy(600, { mayRefuse: true })).toHaveLength(2)
  expect(await edge.linesSaying('a worker ended', 1)).toMatchObject([
    { worker: frozen, signalCode: 'SIGKILL' },
  ])
  await expect.poll(ready, { timeout: 90_000 }).toBe(6)

  edge.tell('SIGTERM')
  expect(await edge.ended).toEqual({ code: 0, fault: '' })
}, 300_000)

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // it has ended
  }
}

/** Sends a request over its own connection. Resolves to its status. */
async function statusOf(url: string, key: string): Promise<number> {
  const dispatcher = new Agent({ pipelining: 0 })
  onTestFinished(() => dispatcher.close())
  const { statusCode, body } = await request(`${url}/v1/chat/completions`, {
    dispatcher,
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...saying('Hi'), max_tokens: 1 }),
  })
  await body.dump()
  return statusCode
}
