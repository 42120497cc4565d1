import { type Client, createClient } from 'graphql-ws'
import { expect, onTestFinished, test } from 'vitest'
import WebSocket from 'ws'
import { aClient, clientOf, saying, type TestClient } from '../harness/a-client.ts'
import { anApiKey } from '../harness/an-account.ts'
import { perFile } from '../harness/per-file.ts'
import { aPaymentSystem } from './a-payment-system.ts'

const system = perFile(aPaymentSystem)

const theClient = () => aClient(system, { creditNanos: 2_000_000_000n })
const billing = async ({ text }: TestClient, path: string) =>
  (await system.rest('GET', `/billing/${path}`, { token: text })).body

test('a running request is held: held is subtracted from available, and credits change when it is charged', async () => {
  const client = await theClient()
  const held = async () => (await billing(client, 'balance')).held
  const leaving = new AbortController()
  const body = { ...saying('Hi [[fault: stall;n=3]]'), stream: true }
  const running = await client.post('/chat/completions', body, {}, leaving.signal)
  await expect.poll(held).toBeGreaterThan(0)
  const balance = await billing(client, 'balance')
  expect(balance.credits).toBe(2)
  expect(balance.available).toBeCloseTo(balance.credits - balance.held, 9)
  expect((await billing(client, 'transactions')).total).toBe(1)
  leaving.abort()
  await expect(running.text()).rejects.toThrow('aborted')
  await expect.poll(held).toBe(0)
  const { data } = await billing(client, 'transactions')
  expect(data).toHaveLength(2)
  expect((await billing(client, 'balance')).credits).toBeCloseTo(2 + data[0].credits, 9)
})

interface Told {
  credits: string
  held: string
  available: string
}

const query = 'subscription { balanceChanged { credits held available } }'

/** The events of a subscriber, in order of arrival. */
function subscribe(token: string): { told: Told[]; errors: unknown[]; client: Client; end(): void } {
  const told: Told[] = []
  const errors: unknown[] = []
  const client = createClient({
    url: `${system.edge.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${token}` },
    retryAttempts: 0,
  })
  onTestFinished(() => client.dispose())
  const end = client.subscribe<{ balanceChanged: Told }>(
    { query },
    {
      next: ({ data, errors: refused }) => {
        if (data?.balanceChanged) told.push(data.balanceChanged)
        if (refused) errors.push(...refused)
      },
      error: error => errors.push(error),
      complete: () => {},
    },
  )
  return { told, errors, client, end }
}

test('a subscriber is told the balance as it is, then a top-up, then charges', async () => {
  const { accountId, token } = await system.aPerson()
  const { told } = subscribe(token)
  await expect.poll(() => told).toEqual([{ credits: '0', held: '0', available: '0' }])
  await system.press((await system.topUp(token, 10)).checkout_url, 'pay')
  await expect.poll(() => told.at(-1)).toMatchObject({ credits: '10', available: '10' })
  const key = await anApiKey(system.context, { accountId })
  expect((await clientOf(system, key).post('/chat/completions', saying('Hi'))).status).toBe(200)
  await expect.poll(() => Number(told.at(-1)?.credits)).toBeLessThan(10)
  await expect.poll(() => told.at(-1)?.held).toBe('0')
})

test('each is told of its own account, ten watch at the same time, and who leaves is told nothing more', async () => {
  const { token } = await system.aPerson()
  const stranger = await system.aPerson()
  const watchers = Array.from({ length: 10 }, () => subscribe(token))
  const other = subscribe(stranger.token)
  for (const { told } of [...watchers, other]) await expect.poll(() => told.length).toBe(1)
  watchers[0]?.end()
  await system.press((await system.topUp(token, 2)).checkout_url, 'pay')
  for (const { told } of watchers.slice(1)) await expect.poll(() => told.at(-1)?.credits).toBe('2')
  expect([watchers[0]?.told.length, other.told.length]).toEqual([1, 1])
})

test('without a credential it is refused', async () => {
  const { errors, told } = subscribe('nonsense')
  await expect.poll(() => errors).toMatchObject([{ code: 4403 }])
  expect(told).toEqual([])
})
