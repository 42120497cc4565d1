import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../dev/services/ports.ts'
import { applyCatalogue } from '../../domain/models/apply-catalogue.ts'
import { changeModels } from '../../domain/models/change-models.ts'
import { subgraph as models } from '../../subgraphs/models/subgraph.ts'
import { signCall } from '../../subgraphs/runtime/signed-call.ts'
import { startSubgraph } from '../../subgraphs/runtime/start-subgraph.ts'
import { aSystem } from '../../test/harness/a-context.ts'
import { forThisTest } from '../../test/harness/per-file.ts'
import { theCatalogue } from '../../test/harness/the-catalogue.ts'
import { type RemoteSubscription, subscribeRemotely } from './subscribe-remotely.ts'

/** A subgraph with scripted responses. `calls` counts its requests. */
async function aSubgraph(answer: (response: ServerResponse, call: number) => void) {
  let calls = 0
  const closed: number[] = []
  const server = createServer((request, response) => {
    const call = calls++
    request.resume()
    response.on('close', () => closed.push(call))
    answer(response, call)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`
  let signed = 0
  const subscription = { subgraph: 'tasks', url, body: '{}', sign: () => ({ 'x-signed': String(signed++) }) }
  return { subscription, closed, count: () => calls, signed: () => signed }
}

function begin(response: ServerResponse, ...states: string[]): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const state of states) response.write(`event: next\ndata: ${JSON.stringify({ data: { state } })}\n\n`)
  return response
}

/** Resolves when all written data is sent. */
function breakOff(response: ServerResponse): void {
  setTimeout(() => response.destroy(), 30)
}

async function subscribed(subgraph: { subscription: RemoteSubscription }) {
  const events = await subscribeRemotely(subgraph.subscription)
  if (!('next' in events)) throw new Error(JSON.stringify(events))
  return events
}

const result = (state: string) => ({ done: false, value: { data: { state } } })

test('a broken connection is opened again with a new signature, without repeating events', async () => {
  const subgraph = await aSubgraph((response, call) => {
    if (call === 0 || call === 2) breakOff(begin(response, 'queued'))
    else if (call === 1) response.destroy()
    else begin(response, 'queued', 'running').end('event: complete\ndata:\n\n')
  })
  const events = await subscribed(subgraph)
  expect(await events.next()).toEqual(result('queued'))
  expect(await events.next()).toEqual(result('running'))
  expect(await events.next()).toEqual({ done: true, value: undefined })
  expect([subgraph.count(), subgraph.signed()]).toEqual([4, 4])
})

test('a client that disconnects while it waits closes the connection', async () => {
  const subgraph = await aSubgraph(response => void begin(response, 'queued'))
  const events = await subscribed(subgraph)
  await events.next()
  const waiting = events.next()
  await events.return?.()
  expect(await waiting).toEqual({ done: true, value: undefined })
  await expect.poll(() => subgraph.closed).toEqual([0])
  expect(subgraph.count()).toBe(1)
})

test('a refusal is a single result, and an unreachable subgraph is `unavailable`', async () => {
  const refusing = await aSubgraph(response => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"errors":[{"message":"no"}]}')
  })
  expect(await subscribeRemotely(refusing.subscription)).toMatchObject({ errors: [{ message: 'no' }] })
  const angry = await aSubgraph(response => void response.writeHead(401).end('{}'))
  for (const subscription of [angry.subscription, { ...angry.subscription, url: 'http://127.0.0.1:1/' }])
    expect(await subscribeRemotely(subscription)).toMatchObject({
      errors: [{ extensions: { problem: 'unavailable' } }],
    })
})

test('a subscription that is refused on reconnect ends with the reason', async () => {
  const subgraph = await aSubgraph((response, call) => {
    if (call === 0) breakOff(begin(response, 'queued'))
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{"errors":[{"message":"no"}]}')
  })
  const events = await subscribed(subgraph)
  expect(await events.next()).toEqual(result('queued'))
  expect(await events.next()).toMatchObject({ done: false, value: { errors: [{ message: 'no' }] } })
  expect(await events.next()).toEqual({ done: true, value: undefined })
})

test('with event IDs, no event is missed while the subgraph is unavailable', async () => {
  const system = forThisTest(await aSystem({ SUBGRAPH_SECRET: 'a-secret-between-gateway-and-subgraphs' }))
  const { context } = system
  await applyCatalogue(context, await theCatalogue())
  const config = { ...system.config, subgraphPort: await freePort() }
  const before = await startSubgraph(config, models)
  const body = JSON.stringify({ query: 'subscription { modelsUpdated { revision withdrawnModelIds } }' })
  const call = { requestId: 'req_1', address: '127.0.0.1', operator: { name: 'ada', keyId: '' } }
  const signing = { secrets: config.subgraphSecrets, subgraph: 'models', body }
  const sign = () => signCall(call, { ...signing, now: Date.now() })
  const events = await subscribed({ subscription: { subgraph: 'models', url: before.url, body, sign } })
  onTestFinished(async () => void (await events.return?.()))
  const told = (revision: number, withdrawnModelIds: string[]) => ({
    done: false,
    value: { data: { modelsUpdated: { revision, withdrawnModelIds } } },
  })
  const remove = (id: string) =>
    changeModels(context, { changes: [{ kind: 'remove', at: [], id, expectedRevision: 1 }] })
  expect(await events.next()).toEqual(told(1, []))
  await before.close()
  await remove('chat.ember-coder')
  forThisTest(await startSubgraph(config, models))
  expect(await events.next()).toEqual(told(2, ['chat.ember-coder']))
  await remove('text-to-speech.orator')
  expect(await events.next()).toEqual(told(3, ['text-to-speech.orator']))
})
