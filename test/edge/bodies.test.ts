import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { changeAllowance } from '../../domain/accounts/set-allowance.ts'
import { aClient, saying, type TestClient } from '../harness/a-client.ts'
import { anEdgeBeforeControl } from '../harness/an-edge.ts'
import { balanceOf } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'

const limitBytes = 1024 * 1024
const perKey = 3

const system = perFile(() =>
  anEdgeBeforeControl({
    BODY_LIMIT_BYTES: String(limitBytes),
    ALLOWANCES: `requests_in_flight=${perKey}/${perKey}`,
  }),
)
const client = perFile(() => aClient(system))

const entries = {
  '/v1/chat/completions': () => system.edge.url,
  '/v1/responses': () => system.edge.url,
  '/api/v1/byok': () => system.control.url,
  '/graphql': () => system.control.url,
}

describeEntries('a body too large by its content-length is refused before it is sent', async entry => {
  const socket = await aPost(entry, `content-length: ${limitBytes + 1}`)
  expectRefusal(entry, await socket.answer)
})

describeEntries(
  'a body too large in chunks is refused at the limit, and its connection ends',
  async entry => {
    const socket = await aPost(entry, 'transfer-encoding: chunked')
    let isOver = false
    void socket.answer.then(() => {
      isOver = true
    })
    let sentBytes = 0
    while (!isOver && !socket.destroyed && sentBytes < 100 * limitBytes) {
      if (!socket.write(chunk)) await Promise.race([once(socket, 'drain').catch(() => {}), sleep(50)])
      sentBytes += chunk.length
    }
    expectRefusal(entry, await socket.answer)
    const sendingOn = setInterval(() => !socket.destroyed && socket.write(chunk), 50)
    await expect.poll(() => socket.destroyed).toBe(true)
    clearInterval(sendingOn)
  },
)

test('of large prompts at the same time, only those that the balance covers reach a vendor', async () => {
  const prompt = (turn: number) => ({
    ...saying(`${turn} ${'many words '.repeat(40_000)} [[fault: slow;ms=1500]]`),
    max_tokens: 20,
  })
  const { sql } = system.context
  const before = await balanceOf(sql, client.accountId)
  expect((await client.post('/chat/completions', prompt(0))).status).toBe(200)
  const after = await balanceOf(sql, client.accountId)
  const creditNanos = ((before.credits - after.credits) * 14n) / 5n
  const poor = await aClient(system, { creditNanos })
  expect((await poor.post('/chat/completions', saying('Hi'))).status).toBe(200)
  const answers = await Promise.all(
    Array.from({ length: perKey }, (_, turn) => poor.post('/chat/completions', prompt(turn + 1))),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 402])
})

test('a client that sends all of its large body first, reads its 413 all the same', async () => {
  const response = await client.post('/chat/completions', saying('x'.repeat(6 * limitBytes)))
  expect(response.status).toBe(413)
  expect(response.headers.get('connection')).toBe('close')
  expect(await response.json()).toMatchObject({ code: 413, error: { code: 'body_too_large' } })
})

test('a body of exactly the limit is read', async () => {
  const empty = JSON.stringify(saying(''))
  const response = await client.post('/chat/completions', saying('x'.repeat(limitBytes - empty.length)))
  expect(response.status).toBe(200)
})

test('a body that is cut costs nothing and leaves nothing in flight', async () => {
  for (const sent of ['', '{"model"']) {
    const socket = await aPost('/v1/chat/completions', 'content-length: 100')
    socket.end(sent)
    expect(await socket.answer).toMatch(/^$|400/)
  }
  const next = await client.post('/chat/completions', saying('Hi'))
  expect(next.status).toBe(200)
})

test('bodies that are still coming count as requests in flight of their account', async () => {
  const statusOf = async (of: TestClient) => {
    const response = await of.post('/chat/completions', saying('Hi'))
    await response.text()
    return response.status
  }
  expect(await statusOf(client)).toBe(200) // from here on the key is known, and a request counts when it arrives
  const slow = Array.from({ length: perKey }, async () => {
    const socket = await aPost('/v1/chat/completions', 'content-length: 100\r\nexpect: 100-continue')
    await once(socket, 'data')
    return socket
  })
  const sockets = await Promise.all(slow)
  expect(await statusOf(client)).toBe(429)
  expect(await statusOf(await aClient(system))).toBe(200)
  for (const socket of sockets) socket.destroy()
  await expect.poll(() => statusOf(client)).toBe(200)
})

const chunk = Buffer.from(`10000\r\n${'x'.repeat(0x10000)}\r\n`)

type Entry = keyof typeof entries

function describeEntries(promise: string, run: (entry: Entry) => Promise<void>): void {
  test.each(Object.keys(entries) as Entry[])(`${promise}: %s`, run)
}

function expectRefusal(entry: Entry, answer: string): void {
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  expect(head).toMatch(/^HTTP\/1.1 413 /)
  expect(head.toLowerCase()).toContain('connection: close')
  expect(head.toLowerCase()).toContain('content-type: application/json')
  const message = expect.stringContaining(`${limitBytes} bytes`)
  if (entry === '/graphql') {
    expect(JSON.parse(body)).toMatchObject({
      errors: [{ message, extensions: { problem: 'body_too_large' } }],
    })
  } else {
    const error = { message, type: 'invalid_request_error', code: 'body_too_large', param: null }
    expect(JSON.parse(body)).toEqual({ code: 413, msg: error.message, error })
  }
}

/** A POST whose headers are sent; `answer` is all that has come when its JSON ends, or the connection. */
async function aPost(entry: Entry, framing: string) {
  const { hostname, port } = new URL(entries[entry]())
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.on('error', () => {}) // a reset while it is still sending
  let text = ''
  const answer = new Promise<string>(resolve => {
    socket.on('data', part => {
      text += part
      if (text.endsWith('}')) resolve(text)
    })
    socket.on('close', () => resolve(text))
  })
  const headers = [
    `host: x`,
    `authorization: Bearer ${client.text}`,
    'content-type: application/json',
    framing,
  ]
  socket.write(`POST ${entry} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`)
  return Object.assign(socket, { answer })
}

test('a large body that begins with an unknown model is refused before it is parsed', async () => {
  const large = `{"model": "nobody/nothing", "messages": ${'['.repeat(70_000)}`
  const response = await client.post('/chat/completions', large)
  expect([response.status, await response.json()]).toMatchObject([
    404,
    { error: { code: 'model_not_found' } },
  ])
})

test('an account without credits writes only so many rows of refused requests', async () => {
  const poor = await aClient(system, { creditNanos: 0n })
  await changeAllowance(system.context, { accountId: poor.accountId, resource: 'refused_rows', limit: 2 })
  const statuses: number[] = []
  for (let turn = 0; turn < 5; turn++) {
    const response = await poor.post('/chat/completions', saying('Hi'))
    await response.text()
    statuses.push(response.status)
  }
  expect(statuses).toEqual(Array(5).fill(402))
  const rows = await system.context
    .sql`select 1 from request_logs where account_id = ${poor.accountId} and status = 402`
  expect(rows).toHaveLength(2)
})
