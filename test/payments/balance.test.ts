import { expect, test } from 'vitest'
import { aClient, saying, type TestClient } from '../harness/a-client.ts'
import { anEdgeBeforeControl } from '../harness/an-edge.ts'
import { perFile } from '../harness/per-file.ts'

const system = perFile(anEdgeBeforeControl)

const theClient = () => aClient(system, { creditNanos: 2_000_000_000n })
const billing = async ({ text }: TestClient, path: string) =>
  (await system.rest('GET', `/billing/${path}`, { token: text })).body
const chat = (client: TestClient, content: string) => client.post('/chat/completions', saying(content))

test('a running request is held: held is subtracted from available, and credits change when it is charged', async () => {
  const client = await theClient()
  const running = chat(client, 'Hi [[fault: slow;ms=1000]]')
  await expect.poll(async () => (await billing(client, 'balance')).held).toBeGreaterThan(0)
  const { credits, held, available } = await billing(client, 'balance')
  expect(credits).toBe(2)
  expect(available).toBeCloseTo(credits - held, 9)
  expect((await billing(client, 'transactions')).total).toBe(1)
  await (await running).text()
  await expect.poll(async () => (await billing(client, 'balance')).held).toBe(0)
  const { data } = await billing(client, 'transactions')
  expect(data).toHaveLength(2)
  expect((await billing(client, 'balance')).credits).toBeCloseTo(2 + data[0].credits, 9)
})

test('a failed request changes neither credits nor transactions', async () => {
  const client = await theClient()
  await (await chat(client, 'Hi [[fault: 500]]')).text()
  await expect
    .poll(() => billing(client, 'balance'))
    .toEqual({ credits: 2, held: 0, available: 2, currency: 'USD' })
  expect((await billing(client, 'transactions')).total).toBe(1)
})
