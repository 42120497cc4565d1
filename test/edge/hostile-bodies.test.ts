import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { Worker } from 'node:worker_threads'
import { Redis } from 'ioredis'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import type { EdgeLimits } from '../../inference-edge/edge-limits.ts'
import { isRecord } from '../../platform/checks.ts'
import { listen } from '../../platform/http/listen.ts'
import { aClient, saying, type TestClient } from '../harness/a-client.ts'
import { anApiKey } from '../harness/an-account.ts'
import { anEdgeSystem, type EdgeSystem } from '../harness/an-edge.ts'
import { expectLedgerToBalance } from '../harness/invariants.ts'

let system: EdgeSystem

afterEach(() => expectLedgerToBalance(system.context.sql))

test('heads without bodies: the window of new requests is asked before a body is waited for', async () => {
  await aSystem({ MAX_IN_FLIGHT: '12', RATE_REQUESTS: '3' })
  const [attacker, other] = [await aClient(system), await aClient(system)]
  const heads: Head[] = []
  const refused = () => heads.filter(head => head.text().includes(' 429 ')).length
  for (let turn = 1; turn <= 12; turn++) {
    heads.push(await aHead(attacker, 'content-length: 100'))
    if (turn > 3) await expect.poll(refused).toBe(turn - 3)
  }
  expect((await other.post('/chat/completions', saying('Hi'))).status).toBe(200)
})

test('a body that comes too slowly is a 408, and its connection ends', async () => {
  await aSystem({}, { bodyTimeoutMs: 150 })
  const client = await aClient(system)
  for (const framing of ['content-length: 100', 'transfer-encoding: chunked']) {
    const head = await aHead(client, framing)
    const part = framing.startsWith('c') ? 'x' : '1\r\nx\r\n'
    // A part that is sent after the response would reset the connection, and the response could be lost.
    const dripping = setInterval(() => head.text() === '' && head.socket.write(part), 20)
    await head.closed
    clearInterval(dripping)
    expect(head.text()).toMatch(/^HTTP\/1.1 408 [\s\S]*"request_timeout"/)
  }
})

test('all keys of an account together have no more in flight than the account', async () => {
  await aSystem({ MAX_IN_FLIGHT: '6' })
  const [attacker, other] = [await aClient(system), await aClient(system)]
  const heads: Head[] = []
  for (let key = 0; key < 6; key++) {
    const { text } = await anApiKey(system.context, { accountId: attacker.accountId })
    heads.push(await aHead({ ...attacker, text }, 'content-length: 100'))
  }
  // Bodies that arrive together share the limit: at most three are accepted.
  await expect.poll(() => exceeding(heads)).toBeGreaterThanOrEqual(3)
  expect((await other.post('/chat/completions', saying('Hi'))).status).toBe(200)
})

test('accounts without credits share a part of the process: who pays is served', async () => {
  await aSystem({ MAX_IN_FLIGHT: '8' })
  const heads: Head[] = []
  for (let account = 0; account < 6; account++) {
    heads.push(await aHead(await aClient(system, { creditNanos: 0n }), 'content-length: 100'))
  }
  await expect.poll(() => exceeding(heads)).toBeGreaterThanOrEqual(4)
  expect((await (await aClient(system)).post('/chat/completions', saying('Hi'))).status).toBe(200)
})

test('bodies in memory have a budget: an allowance for each account, but always one body', async () => {
  const memory = { BODY_MEMORY_BYTES: '400000', BODY_LIMIT_BYTES: '200000' }
  await aSystem({ ...memory, ALLOWANCES: 'memory_bytes=6250/100000' })
  const [rich, other] = [await aClient(system), await aClient(system)]
  const poor = await aClient(system, { creditNanos: 0n })
  const taken = async (client: TestClient, bytes: number) => {
    const head = await aHead(client, `content-length: ${bytes}`)
    return vi.waitFor(
      async () => {
        const outcome = await inMemory(client, head)
        expect(outcome).toBeDefined() // an answer may arrive in parts
        return outcome
      },
      { timeout: 15_000, interval: 20 },
    )
  }
  expect(await taken(rich, 90_000)).toBe('waits')
  expect(await taken(rich, 20_000)).toBe('refused')
  expect(await taken(poor, 90_000)).toBe('waits')
  expect(await taken(poor, 1_000)).toBe('refused')
  expect(await taken(await aClient(system, { creditNanos: 0n }), 20_000)).toBe('refused')
  expect(await taken(other, 190_000)).toBe('waits')
  expect(await taken(await aClient(system), 190_000)).toBe('refused')
  expect((await (await aClient(system)).post('/chat/completions', saying('Hi'))).status).toBe(200)
})

test('what is no request counts too: after as many as the window allows comes 429', async () => {
  await aSystem({ RATE_REQUESTS: '2' })
  for (const bad of ['{', '[],'.repeat(40_000), { model: 'vendor_a/none', messages: [] }, {}]) {
    const client = await aClient(system)
    const statuses = []
    for (let turn = 0; turn < 3; turn++) statuses.push((await client.post('/chat/completions', bad)).status)
    expect(statuses.map(status => (status === 404 ? 400 : status))).toEqual([400, 400, 429])
  }
})

test('a 401 ends the connection of a body that is still coming', async () => {
  await aSystem()
  const head = await aHead({ text: 'sk-rb-nobody' }, 'content-length: 33000000')
  await head.closed
  expect(head.text()).toMatch(
    /^HTTP\/1.1 401 [\s\S]*\r\n\r\n\{"code":401,"msg":"You do not have access permissions"\}$/,
  )
})

test('a small request asks Redis once; a body over a megabyte is parsed beside the event loop', async () => {
  await aSystem()
  const client = await aClient(system, { tpd: 100_000_000 })
  const asks = vi.spyOn(Redis.prototype, 'evalsha')
  const parses = vi.spyOn(Worker.prototype, 'postMessage')
  onTestFinished(() => void vi.restoreAllMocks())
  await client.post('/chat/completions', saying('Hi')) // Redis learns the scripts
  await client.post('/chat/completions', saying('Hi'))
  const isBody = ([task]: unknown[]) =>
    isRecord(task) && isRecord(task.content) && 'digestAfter' in task.content
  const rateAsks = () => asks.mock.calls.filter(([, names]) => names === 3).length
  const before = rateAsks()
  expect((await client.post('/chat/completions', saying('Hi'))).status).toBe(200)
  expect(rateAsks() - before).toBe(1)
  expect(parses.mock.calls.filter(isBody)).toHaveLength(0)
  expect(await served(client, saying('x'.repeat(2_000_000)))).toMatchObject({ object: 'chat.completion' })
  expect(parses.mock.calls.filter(isBody)).toHaveLength(1)
  const broken = await served(client, `{"a":"${'x'.repeat(2_000_000)}`)
  expect(broken).toMatchObject({ code: 400, error: { code: 'invalid_json' } })
  const wide = await served(client, `[${'[],'.repeat(700_000)}[]]`)
  expect(wide).toMatchObject({ msg: 'The body has more than 100000 values.' })
})

test('a whole answer that its client leaves unread counts in the memory of its account, and is cut after a while', async () => {
  const content = 'x'.repeat(20_000_000)
  const vendor = await listen(
    createServer((request, response) => {
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
      const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }]
      const answer = { id: 'x', object: 'chat.completion', created: 1, model: 'x', choices, usage }
      request.resume().on('end', () => response.end(JSON.stringify(answer)))
    }),
    { host: '127.0.0.1', port: 0 },
  )
  const settings = { VENDOR_A_BASE_URL: vendor.url, ALLOWANCES: 'memory_bytes=1000/1000' }
  await aSystem(settings, { stalledReaderMs: 1_500 })
  onTestFinished(() => vendor.drain(0))
  const client = await aClient(system)
  const body = JSON.stringify(saying('Hi'))
  const head = await aHead(client, `content-length: ${body.length}`)
  head.socket.pause().write(body)
  await expect.poll(() => head.socket.readableLength, { timeout: 10_000 }).toBeGreaterThan(0)
  const refused = await client.post('/chat/completions', saying('Hi'))
  expect(await refused.json()).toMatchObject({ error: { code: 'allowance_exceeded', param: 'memory_bytes' } })
  const whole = async () => {
    const answer = await client.post('/chat/completions', saying('Hi'))
    return answer.status === 200 ? (await answer.json()).choices[0].message.content.length : answer.status
  }
  await expect.poll(whole, { timeout: 10_000 }).toBe(content.length)
  head.socket.resume()
  await head.closed
  expect(head.text().length).toBeLessThan(content.length)
})

/** An edge of one test. */
async function aSystem(env: Record<string, string> = {}, limits: Partial<EdgeLimits> = {}): Promise<void> {
  system = await anEdgeSystem(env, { limits })
  onTestFinished(() => system.close())
}

/** The response to a large body; retried while the machine is too busy. */
async function served(client: TestClient, body: unknown): Promise<unknown> {
  for (let tries = 0; ; tries++) {
    const answer = await client.post('/chat/completions', body)
    if (answer.status !== 503 || tries > 20) return answer.json()
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}

const exceeding = (heads: Head[]) => heads.filter(head => head.text().includes('allowance_exceeded')).length

type Head = Awaited<ReturnType<typeof aHead>>

/** A POST of which the head alone is sent. */
async function aHead({ text: key }: { text: string }, framing: string) {
  const { hostname, port } = new URL(system.edge.url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  let text = ''
  socket.on('data', part => (text += part))
  const closed = once(socket, 'close')
  const head = ['host: x', `authorization: Bearer ${key}`, 'content-type: application/json', framing]
  socket.write(`POST /v1/chat/completions HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`)
  return { socket, text: () => text, closed }
}

/** Whether the edge takes a body or refuses it, once the rates have counted it. */
async function inMemory(
  client: TestClient,
  head: Pick<Head, 'text'>,
): Promise<'waits' | 'refused' | undefined> {
  if (head.text() !== '') return /overloaded|allowance_exceeded/.test(head.text()) ? 'refused' : undefined
  await new Promise(resolve => setTimeout(resolve, 100))
  expect(client.keyId).toBeDefined()
  return head.text() === '' ? 'waits' : undefined
}
