import { createClient } from 'graphql-ws'
import { afterAll, beforeAll, expect, test } from 'vitest'
import WebSocket from 'ws'
import { freePort } from '../dev/services/free-port.ts'
import { type RunningControl, startControl } from '../gateway/start-control.ts'
import { aClient, saying } from './harness/a-client.ts'
import { anEdgeHouse, type EdgeHouse } from './harness/an-edge.ts'

let house: EdgeHouse
let control: RunningControl

beforeAll(async () => {
  const port = await freePort()
  house = await anEdgeHouse({ CONTROL_PORT: String(port), CONTROL_URL: `http://127.0.0.1:${port}` })
  control = await startControl(house.config)
})
afterAll(() => house.close())

const address = (path: string) => `${house.edge.url}${path}`
const asJson = { 'content-type': 'application/json' }

test('one base address serves the whole contract, and /v1 goes on without the control plane', async () => {
  const client = await aClient(house)
  const signedUp = await fetch(address('/api/v1/auth/sign-up'), {
    method: 'POST',
    headers: asJson,
    body: JSON.stringify({ name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' }),
  })
  expect(signedUp.status).toBe(201)
  const balance = await fetch(address('/api/v1/billing/balance'), {
    headers: { authorization: `Bearer ${client.text}` },
  })
  expect(await balance.json()).toMatchObject({ credits: 100, held: 0, available: 100, currency: 'USD' })
  expect((await (await fetch(address('/.well-known/jwks.json'))).json()).keys).toHaveLength(1)
  const typename = { query: '{ __typename }' }
  const overHttp = await fetch(address('/graphql'), {
    method: 'POST',
    headers: asJson,
    body: JSON.stringify(typename),
  })
  expect(await overHttp.json()).toEqual({ data: { __typename: 'Query' } })

  const socket = createClient({ url: address('/graphql').replace('http', 'ws'), webSocketImpl: WebSocket })
  const overSocket = await new Promise((resolve, reject) => {
    socket.subscribe(typename, { next: resolve, error: reject, complete: () => {} })
  })
  expect(overSocket).toEqual({ data: { __typename: 'Query' } })
  await socket.dispose()

  await control.close()
  const gone = await fetch(address('/api/v1/billing/balance'))
  expect(gone.status).toBe(502)
  expect(await gone.json()).toMatchObject({ code: 502, error: { code: 'control_unavailable' } })
  expect((await client.post('/chat/completions', saying('Hi'))).status).toBe(200)
  expect((await fetch(address('/readyz'))).status).toBe(200)
})
