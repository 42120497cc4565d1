import { createServer } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parse } from 'graphql'
import { expect, onTestFinished, test, vi } from 'vitest'
import { listen } from '../../platform/http/listen.ts'
import { redactSecrets, Secrets } from '../../platform/secrets/redact-secrets.ts'
import { aClient, saying } from '../../test/harness/a-client.ts'
import { anEdgeSystem } from '../../test/harness/an-edge.ts'

const collect = openCollector()

test.each([
  ['parsed on the event loop', 500_000],
  ['parsed in a thread', 2_000_000],
])('the edge keeps no bytes of a body while its request waits for the vendor: %s', async (_, bytes) => {
  const { url, received } = await aSilentVendor()
  const system = await anEdgeSystem({ VENDOR_A_BASE_URL: url })
  onTestFinished(() => system.close())
  const client = await aClient(system)
  const body = JSON.stringify(saying('x'.repeat(bytes)))
  const blocks = watchBlocks(body.length)
  const abort = new AbortController()
  onTestFinished(() => abort.abort())
  void fetch(`${system.baseURL}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${client.text}`, 'content-type': 'application/json' },
    body,
    signal: abort.signal,
  }).catch(() => {})
  await vi.waitUntil(() => received() === 1, { timeout: 30_000 })
  expect(blocks.length).toBeGreaterThan(0)
  const kept = () => {
    collect()
    return blocks.filter(block => block.deref()?.byteLength).length // a block that moved to a thread is empty here
  }
  await expect.poll(kept).toBe(0)
})

test('the estimated size of a parsed document is at least its size in the heap', () => {
  const texts = Array.from({ length: 40 }, (_, turn) => `{ me { ${'id '.repeat(1_900)} a${turn}: id } }`)
  const before = usedHeap()
  const parsed = texts.map(text => parse(text))
  expect((usedHeap() - before) / parsed.length).toBeLessThan(1024 * 1_900)
})

test('blanking a text keeps no memory for the secrets', () => {
  const before = usedHeap()
  const credentials = Array.from({ length: 100 }, (_, at) => {
    const secrets = new Secrets([Array.from({ length: 1_000 }, (_item, part) => `${at}x${part}`).join('-')])
    redactSecrets('Incorrect API key provided.', secrets)
    return secrets
  })
  expect(usedHeap() - before).toBeLessThan(20_000_000)
  expect(credentials).toHaveLength(100)
})

/** Starts a vendor that reads requests and never answers. */
async function aSilentVendor() {
  let count = 0
  const server = createServer(request => {
    request.resume().on('end', () => (count += 1))
  })
  const { url, drain } = await listen(server, { host: '127.0.0.1', port: 0 })
  onTestFinished(() => drain(0))
  return { url, received: () => count }
}

/** Returns weak references to the buffers of exactly `length` bytes that are made from now on. */
function watchBlocks(length: number): WeakRef<Uint8Array>[] {
  const blocks: WeakRef<Uint8Array>[] = []
  const { from } = Buffer
  const watched = (...given: unknown[]) => {
    const buffer = Reflect.apply(from, Buffer, given)
    if (given[0] instanceof ArrayBuffer && buffer.length === length) blocks.push(new WeakRef(buffer))
    return buffer
  }
  Object.assign(Buffer, { from: watched })
  onTestFinished(() => void Object.assign(Buffer, { from }))
  return blocks
}

function usedHeap(): number {
  collect()
  return process.memoryUsage().heapUsed
}

/** Returns a function that collects garbage. */
function openCollector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc')
}
