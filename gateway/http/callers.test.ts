import { once } from 'node:events'
import { createServer } from 'node:http'
import { auditServer } from 'graphql-http'
import { createClient } from 'graphql-ws'
import Koa from 'koa'
import { Ctx, Int, Query, Resolver, Root, Subscription } from 'type-graphql'
import { fetch as fetchStream } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { openClientAddress } from '../../platform/http/addresses.ts'
import { listen } from '../../platform/http/listen.ts'
import { buildSubgraph } from '../../subgraphs/runtime/build-subgraph.ts'
import type { SubgraphContext } from '../../subgraphs/runtime/services.ts'
import { closeServices, openServices } from '../../subgraphs/runtime/services.ts'
import type { Subgraph } from '../../subgraphs/runtime/subgraph.ts'
import { aControlPlane, type ControlPlane } from '../../test/harness/a-control-plane.ts'
import { controlLimits } from '../graph/control-limits.ts'
import { openGraph } from '../graph/open-graph.ts'
import { openTrustedDocuments } from '../graph/trusted-documents.ts'
import { composeSupergraph } from '../supergraph/compose-supergraph.ts'
import { answerProblems } from './answer-problems.ts'
import type { ControlState } from './control-context.ts'
import { identifyCaller, openCallers } from './identify-caller.ts'
import { logRequest } from './log-request.ts'
import { mountGraph } from './serve-graph.ts'
import { mountWebSocket } from './serve-web-socket.ts'
import { openTurns } from './take-turns.ts'

/** The number of open sources, and of all sources that were opened. */
const sources = { open: 0, opened: 0 }

/** Counts up every few milliseconds until it is stopped. */
function ticks(): AsyncIterableIterator<number> {
  let tick = 0
  let stop: ((step: IteratorResult<number>) => void) | undefined
  sources.open += 1
  sources.opened += 1
  return {
    next: () =>
      new Promise(resolve => {
        stop = resolve
        setTimeout(() => resolve({ done: false, value: ++tick }), 10)
      }),
    async return() {
      sources.open -= 1
      const end = { done: true as const, value: undefined }
      stop?.(end)
      return end
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

@Resolver()
class TickResolver {
  @Query(() => String)
  who(@Ctx() { caller }: SubgraphContext): string {
    return caller?.kind ?? 'nobody'
  }

  @Subscription(() => Int, { subscribe: ticks })
  tick(@Root() tick: number): number {
    return tick
  }
}

let control: ControlPlane
let url: string
let close: () => Promise<void>

beforeAll(async () => {
  control = await aControlPlane()
  const system = openServices(control.config, { name: 'test' })
  const ticking: Subgraph = { name: 'ticks', resolvers: [TickResolver] }
  const subgraph = await buildSubgraph(ticking, (_type, _field, resolve) => resolve)
  const trusted = await openTrustedDocuments(control.config)
  const supergraph = composeSupergraph([subgraph])
  const tokens = { watch: () => () => {} }
  const graph = openGraph(system, {
    supergraph,
    subgraphs: [subgraph],
    trusted,
    tokens,
    limits: controlLimits,
  })
  const addressOf = openClientAddress([])
  const app = new Koa<ControlState>()
  const { ids, metrics } = system.context
  app.use(logRequest({ lines: undefined, ids, addressOf, metrics, tracing: undefined }))
  app.use(answerProblems(system.context.log))
  const callers = openCallers(system)
  app.use(identifyCaller(callers))
  app.use(mountGraph(graph, { trusted, streams: new Set() }))
  const server = createServer(app.callback())
  const endSockets = mountWebSocket(server, {
    graph,
    addressOf,
    callers,
    turns: openTurns(system.context.allowances),
  })
  const listening = await listen(server, { host: '127.0.0.1', port: 0 })
  url = listening.url
  close = async () => {
    await endSockets()
    await listening.drain(1000)
    await graph.dispose()
    await closeServices(system)
  }
})
afterAll(async () => {
  await close()
  await control.close()
})

const subscription = JSON.stringify({ query: 'subscription { tick }' })
const post = (headers: Record<string, string>, body: string, signal?: AbortSignal) =>
  fetch(`${url}/graphql`, { method: 'POST', headers, body, signal: signal ?? null })
const json = { 'content-type': 'application/json' }

test('the graph follows GraphQL over HTTP', async () => {
  const results = await auditServer({ url: `${control.url}/graphql`, fetchFn: fetch })
  expect(results.length).toBeGreaterThan(60)
  expect(results.filter(({ status }) => status !== 'ok').map(({ name }) => name)).toEqual([])
})

test('mutations by GET and bodies as text or forms are refused', async () => {
  const mutation = 'mutation { logOut { sessionEnded } }'
  const byGet = await fetch(`${control.url}/graphql?query=${encodeURIComponent(mutation)}`)
  expect(byGet.status).toBe(405)
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/graphql',
  ]) {
    const answer = await fetch(`${control.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': type },
      body: JSON.stringify({ query: '{ me { id } }' }),
    })
    expect(answer.status, type).toBe(415)
    expect((await answer.json()).errors[0].extensions.problem).toBe('unsupported_media_type')
  }
})

test('batches are refused', async () => {
  const answer = await post(json, JSON.stringify([{ query: '{ who }' }, { query: '{ who }' }]))
  expect(answer.status).toBe(400)
})

test('bodies above 1 MB are refused, with and without Content-Length', async () => {
  const large = JSON.stringify({ query: `{ who } #${'x'.repeat(1024 * 1024)}` })
  expect((await post(json, large)).status).toBe(413)
  const stream = new Blob([large]).stream()
  const answer = await fetchStream(`${url}/graphql`, {
    method: 'POST',
    headers: json,
    body: stream,
    duplex: 'half',
  })
  expect(answer.status).toBe(413)
})

test('a subscription is sent as server-sent events and ends when its client disconnects', async () => {
  const stop = new AbortController()
  const answer = await post({ ...json, accept: 'text/event-stream' }, subscription, stop.signal)
  expect(answer.headers.get('content-type')).toContain('text/event-stream')
  let text = ''
  const decoder = new TextDecoder()
  for await (const part of answer.body ?? []) {
    text += decoder.decode(part)
    if (text.includes('{"data":{"tick":3}}')) break
  }
  expect(text).toContain('{"data":{"tick":1}}')
  stop.abort()
  await expect.poll(() => sources.open).toBe(0)
})

test('a subscription that the client cannot read as a stream never starts', async () => {
  const before = sources.opened
  for (const accept of ['application/json', 'multipart/mixed', 'application/graphql-response+json', '*/*']) {
    const answer = await post({ ...json, accept }, subscription)
    expect(answer.status, accept).toBeGreaterThanOrEqual(200)
    expect(await answer.text(), accept).not.toContain('"tick"')
  }
  expect(sources.opened).toBe(before)
})

test('over WebSocket the credential is a connection parameter, and the source ends with the subscription', async () => {
  const person = await control.aPerson()
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${person.token}` },
  })
  const query = client.iterate<{ who: string }>({ query: '{ who }' })
  expect((await query.next()).value?.data).toEqual({ who: 'session' })
  const live = client.iterate<{ tick: number }>({ query: 'subscription { tick }' })
  expect((await live.next()).value?.data).toEqual({ tick: 1 })
  expect((await live.next()).value?.data).toEqual({ tick: 2 })
  expect(sources.open).toBe(1)
  await live.return?.()
  await expect.poll(() => sources.open).toBe(0)
  await client.dispose()
})

test("the connection parameter can have the header's capitalization", async () => {
  const person = await control.aPerson()
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { Authorization: `Bearer ${person.token}` },
  })
  const query = client.iterate<{ who: string }>({ query: '{ who }' })
  expect((await query.next()).value?.data).toEqual({ who: 'session' })
  await client.dispose()
})

test('a broken WebSocket ends its sources', async () => {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  await once(socket, 'open')
  socket.send(JSON.stringify({ type: 'connection_init' }))
  await once(socket, 'message')
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: 'subscription { tick }' } }))
  await once(socket, 'message')
  expect(sources.open).toBe(1)
  socket.terminate()
  await expect.poll(() => sources.open).toBe(0)
})

test('introspection is a setting', async () => {
  const closed = await aControlPlane({ GRAPH_INTROSPECTION: 'false' })
  const asked = '{ __schema { queryType { name } } }'
  expect((await closed.graph(asked)).errors?.[0]?.extensions.problem).toBe('invalid_request')
  expect((await control.graph(asked)).data).toEqual({ __schema: { queryType: { name: 'Query' } } })
  await closed.close()
})
