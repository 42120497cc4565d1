import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type RunningSimulator, startSimulator } from './start-simulator.ts'

let simulator: RunningSimulator

beforeEach(async () => {
  simulator = await startSimulator()
})
afterEach(() => simulator.close())

const headers = { authorization: 'Bearer sim-platform-key', 'content-type': 'application/json' }

function complete(fields: Record<string, unknown> = {}, options: RequestInit = {}) {
  const body = JSON.stringify({ model: 'gpt-sim', messages: [{ role: 'user', content: 'Hello' }], ...fields })
  return fetch(`${simulator.url}/openai/v1/chat/completions`, { method: 'POST', headers, body, ...options })
}

async function control(method: string, path: string, body?: unknown) {
  const response = await fetch(`${simulator.url}/__sim/${path}`, {
    method,
    ...(body !== undefined && { headers, body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}

describe('recorded calls', () => {
  it('contain the request and the outcome', async () => {
    await (await complete({ user: 'u' })).text()
    await expect
      .poll(() => simulator.calls)
      .toEqual([
        {
          id: expect.any(Number),
          at: expect.any(Number),
          method: 'POST',
          path: '/openai/v1/chat/completions',
          headers: expect.objectContaining({ authorization: 'Bearer sim-platform-key' }),
          body: { model: 'gpt-sim', messages: [{ role: 'user', content: 'Hello' }], user: 'u' },
          status: 200,
          frames: 0,
          finished: true,
          aborted: false,
          cut: false,
        },
      ])
  })

  it('can be disabled', async () => {
    expect((await control('POST', 'settings', { record: false })).body).toMatchObject({ record: false })
    await (await complete()).text()
    expect(simulator.calls).toEqual([])
  })

  it('show a client that disconnects within a stream, which ends the writing', async () => {
    simulator.change({ chunkDelayMs: 5 })
    const leaving = new AbortController()
    const response = await complete({ stream: true, model: 'gpt-sim-1000w' }, { signal: leaving.signal })
    await response.body?.getReader().read()
    leaving.abort()
    await expect.poll(() => simulator.calls[0]).toMatchObject({ aborted: true, finished: false, status: 200 })
    const framesThen = simulator.calls[0]?.frames ?? 0
    expect(framesThen).toBeLessThan(500)
    await new Promise(resolve => setTimeout(resolve, 50))
    expect(simulator.calls[0]?.frames).toBe(framesThen)
  })
})

describe('backpressure', () => {
  it('pauses for a client that does not read, until the client disconnects', async () => {
    const { hostname, port } = new URL(simulator.url)
    const socket = connect(Number(port), hostname)
    const body = JSON.stringify({
      model: 'gpt-sim-900000w',
      stream: true,
      messages: [{ role: 'user', content: 'a' }],
    })
    const lines = Object.entries({ host: 'sim', ...headers, 'content-length': body.length })
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    socket.write(`POST /openai/v1/chat/completions HTTP/1.1\r\n${head}\r\n${body}`)
    await once(socket, 'readable')

    let framesBefore = -1
    await expect
      .poll(
        () => {
          const frames = simulator.calls[0]?.frames ?? 0
          const isStill = frames === framesBefore
          framesBefore = frames
          return isStill
        },
        { interval: 100 },
      )
      .toBe(true)
    expect(framesBefore).toBeLessThan(100_000)
    socket.destroy()
    await expect.poll(() => simulator.calls[0]).toMatchObject({ aborted: true })
  })
})

describe('settings', () => {
  it('delay the first byte and the chunks', async () => {
    await control('POST', 'settings', { latency_ms: 120, chunk_delay_ms: 10 })
    const start = performance.now()
    const response = await complete({ stream: true, model: 'gpt-sim-10w' })
    const firstByteMs = performance.now() - start
    await response.text()
    expect(firstByteMs).toBeGreaterThanOrEqual(115)
    expect(performance.now() - start).toBeGreaterThan(115 + 12 * 9)
  })

  it('with an unknown name or a wrong type fail with 400', async () => {
    for (const wrong of [{ latency: 5 }, { latency_ms: -1 }, { record: 'no' }, 5]) {
      expect((await control('POST', 'settings', wrong)).status).toBe(400)
    }
    expect((await control('GET', 'settings')).body).toEqual({
      latency_ms: 0,
      generation_ms: 0,
      chunk_delay_ms: 0,
      record: true,
      cache_minimum_tokens: 1024,
      require_salt: false,
    })
  })
})

describe('the process', () => {
  it('prints its URL, and stops at SIGTERM in spite of an open stream', async () => {
    const child = spawn(process.execPath, ['simulators/vendors/main.ts', '--port', '0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line]: string[] = await once(createInterface(child.stdout), 'line')
    const url = /^simulator listening on (http:\/\/127\.0\.0\.1:\d+)$/.exec(line ?? '')?.[1]
    const body = JSON.stringify({
      model: 'gpt-sim@stall',
      stream: true,
      messages: [{ role: 'user', content: 'a' }],
    })
    const response = await fetch(`${url}/openai/v1/chat/completions`, { method: 'POST', headers, body })
    expect(response.status).toBe(200)
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    await response.text().catch(() => undefined)
  })
})
