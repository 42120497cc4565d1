import { expect, test } from 'vitest'
import { aClient, saying, type TestClient } from '../harness/a-client.ts'
import { theEdgeSystem } from '../harness/an-edge.ts'

const system = theEdgeSystem()

type Send = (client: TestClient, path: string) => Promise<Response>

const hi = { ...saying('Hi'), max_tokens: 16 }
const cases: [string, Send][] = [
  ['an answer', (client, path) => client.post(path, hi)],
  ['a stream', (client, path) => client.post(path, { ...hi, stream: true })],
  ['an unknown key', (client, path) => client.post(path, hi, { authorization: 'Bearer sk-rb-no' })],
  ['another content type', (client, path) => client.post(path, hi, { 'content-type': 'text/plain' })],
  ['a body that is no JSON', (client, path) => client.post(path, '{')],
  ['an unknown model', (client, path) => client.post(path, saying('Hi', 'vendor_a/nothing'))],
  ['a body that is too large', (client, path) => client.post(path, saying('x'.repeat(65 << 20)))],
  ['an invalid parameter', (client, path) => client.post(path, { ...hi, logit_bias: 'x' })],
]

// A path with a query or a trailing slash is not in `directRoutes`, so Koa's middleware serves it.
test.each(cases)('%s has the same status, headers and body with and without Koa', async (_, send) => {
  const client = await aClient(system)
  const seen = []
  for (const path of ['/chat/completions', '/chat/completions?through=koa', '/chat/completions/']) {
    const response = await send(client, path)
    const headers = Object.fromEntries(response.headers)
    seen.push({ status: response.status, headers: shapeOf(headers), body: withoutIds(await response.text()) })
  }
  expect(seen[1]).toEqual(seen[0])
  expect(seen[2]).toEqual(seen[0])
})

const variable = /^(date|x-request-id|content-length|x-ratelimit-(remaining|reset)-\w+)$/

/** Returns the headers in the order of their names, without values that differ between two requests. */
function shapeOf(headers: Record<string, string>): string[] {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${variable.test(name) ? '…' : value}`)
    .toSorted()
}

function withoutIds(text: string): string {
  return text.replaceAll(/(chatcmpl-|req_)[\w-]+/g, '$1…').replaceAll(/"created":\d+/g, '"created":0')
}
