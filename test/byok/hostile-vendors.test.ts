import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { aByokSystem } from '../harness/a-byok-system.ts'
import { aClient, saying } from '../harness/a-client.ts'
import { aVendor } from '../harness/a-vendor.ts'
import { forThisTest, perFile } from '../harness/per-file.ts'

const system = perFile(() => aByokSystem({ RATE_REQUESTS: '1000' }))

/** Bytes that a vendor got rid of before it was hung up on. */
interface Hostile {
  sentBytes: number
}

/** Writes a part again and again, until the other side hangs up or `max` bytes are out. */
async function flood(
  response: ServerResponse,
  part: Buffer | string,
  { max = 256 << 20, told }: { max?: number; told: Hostile },
) {
  const left = once(response, 'close')
  let open = true
  void left.then(() => {
    open = false
  })
  while (open && told.sentBytes < max) {
    told.sentBytes += part.length
    if (!response.write(part))
      await Promise.race([new Promise(resolve => response.once('drain', resolve)), left])
  }
  response.end()
}

/** A customer's vendor of that answer, asked once, whole or as a stream. */
async function ask(answer: (response: ServerResponse, told: Hostile) => unknown, stream: boolean) {
  const told: Hostile = { sentBytes: 0 }
  const vendor = forThisTest(await aVendor(vendorResponse => answer(vendorResponse, told)))
  const client = await aClient(system)
  await system.aCredential(client, 'sim-own', { baseUrl: vendor.url, alwaysUse: true })
  const response = await client.post('/chat/completions', { ...saying('Hi'), stream })
  return { status: response.status, text: await response.text(), told, client }
}

const events = { 'content-type': 'text/event-stream' }

test('eight lines without an end: each is hung up on', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, () =>
      ask((response, told) => {
        response.writeHead(200, events)
        return flood(response, Buffer.alloc(65_536, 'data: aaaaaaaa'), { told })
      }, true),
    ),
  )
  for (const { status, text, told } of outcomes) {
    expect([status, JSON.parse(text).error.code]).toEqual([502, 'upstream_error'])
    expect(told.sentBytes).toBeLessThan(8 << 20) // what sockets hold included
  }
})

test('a whole answer that is too long by its own word is not read', async () => {
  const { status, told } = await ask((response, seen) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 60 << 20 })
    return flood(response, Buffer.alloc(65_536, ' '), { told: seen, max: 60 << 20 })
  }, false)
  expect(status).toBe(502)
  expect(told.sentBytes).toBeLessThan(8 << 20)
})

test.each([
  ['without an end', Buffer.alloc(65_536, ' ')],
  ['of empty lists', Buffer.from('[],'.repeat(20_000))],
])('a whole answer %s is read to its limit', async (_, part) => {
  const { status, told } = await ask((response, seen) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{"choices":[')
    return flood(response, part, { told: seen })
  }, false)
  expect(status).toBe(502)
  expect(told.sentBytes).toBeLessThan(16 << 20)
})

test('a failure that goes on for ever is told by its beginning', async () => {
  const { status, text, told } = await ask((response, seen) => {
    response.writeHead(400)
    return flood(response, 'no, no, no. ', { told: seen })
  }, false)
  expect(status).toBe(400)
  expect(text.length).toBeLessThan(4_000)
  expect(told.sentBytes).toBeLessThan(8 << 20)
})

test('interim responses without an end are cut off', async () => {
  const { status, text } = await ask(async response => {
    for (let count = 0; count < 10_000 && response.writable; count++) {
      response.writeEarlyHints({ link: '</a>; rel=preload' })
      if (count % 100 === 0) await new Promise(resolve => setImmediate(resolve))
    }
  }, false)
  expect(status).toBe(502)
  expect(text).toContain('interim responses')
})

test('whole answers that are still read count in the memory of the account', async () => {
  const small = forThisTest(await aByokSystem({ ALLOWANCES: 'memory_bytes=2000000/2000000' }))
  const stalled: ServerResponse[] = []
  const vendor = forThisTest(
    await aVendor(response => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write(Buffer.alloc(1_500_000, ' '))
      stalled.push(response)
    }),
  )
  const client = await aClient(small)
  await small.aCredential(client, 'sim-own', { baseUrl: vendor.url, alwaysUse: true })
  const asked = [1, 2, 3].map(() => client.post('/chat/completions', saying('Hi')))
  const first = await Promise.race(asked)
  expect([first.status, (await first.json()).error.param]).toEqual([429, 'memory_bytes'])
  for (const response of stalled) response.destroy()
  for (const { status } of await Promise.all(asked)) expect(status).toBeOneOf([429, 502])
})
