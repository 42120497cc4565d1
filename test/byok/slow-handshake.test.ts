import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { changeAllowance } from '../../domain/accounts/set-allowance.ts'
import { deleteCredential } from '../../domain/byok/change-credentials.ts'
import { revokeKey } from '../../domain/keys/change-key.ts'
import { aByokSystem } from '../harness/a-byok-system.ts'
import { aClient, saying, type TestClient } from '../harness/a-client.ts'
import { answerChat, aVendor } from '../harness/a-vendor.ts'
import { perFile } from '../harness/per-file.ts'
import { aSlowHandshake } from './a-slow-handshake.ts'

const handshakeMs = 1_000

const system = perFile(aByokSystem)
const vendor = perFile(() => aVendor(answerChat))

/** A customer whose vendor delays every handshake. */
async function aCustomer(delayMs = handshakeMs) {
  const slow = await aSlowHandshake(Number(new URL(vendor.url).port), delayMs)
  const client = await aClient(system)
  const credential = await system.aCredential(client, 'sim-own', { baseUrl: slow.url, alwaysUse: true })
  vendor.calls.length = 0
  return { slow, client, credential }
}

/** Ten requests that wait for a handshake: the client makes one, and the others once it knows the protocol. */
async function tenRequests(client: TestClient, { slow }: { slow: { readonly connections: number } }) {
  const asked = Array.from({ length: 10 }, (_, index) =>
    client.post('/chat/completions', { ...saying('Hi'), stream: index % 2 === 1 }),
  )
  await expect.poll(() => slow.connections, { interval: 5 }).toBe(1)
  await sleep(100)
  return asked
}

test('no call begins on a connection that was ready after DELETE of its key had answered', async () => {
  const { slow, client } = await aCustomer()
  const asked = await tenRequests(client, { slow })
  await revokeKey(system.management(), client)
  const startedBefore = vendor.calls.length
  for (const response of await Promise.all(asked)) {
    expect(response.status).toBe(401)
    expect(await response.json()).toEqual({ code: 401, msg: 'You do not have access permissions' })
  }
  await sleep(200)
  expect([startedBefore, vendor.calls.length]).toEqual([0, 0])
})

test('nor after DELETE of its credential', async () => {
  const { slow, client, credential } = await aCustomer()
  const asked = await tenRequests(client, { slow })
  await deleteCredential(system.management(), { accountId: client.accountId, id: credential.id })
  const startedBefore = vendor.calls.length
  for (const response of await Promise.all(asked)) expect(response.status).toBeGreaterThan(400)
  expect([startedBefore, vendor.calls.length]).toEqual([0, 0])
})

test('requests with a valid key are answered after slow handshakes, and each counts as one call', async () => {
  const { slow, client } = await aCustomer(500)
  await changeAllowance(system.context, { accountId: client.accountId, resource: 'own_calls', limit: 10 })
  const asked = await tenRequests(client, { slow })
  const statuses = (await Promise.all(asked)).map(({ status }) => status)
  expect(statuses).toEqual(Array(10).fill(200))
  expect(vendor.calls.length).toBe(10)
  expect(slow.connections).toBeLessThanOrEqual(10)
})
