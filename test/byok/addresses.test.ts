import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startEdge } from '../../inference-edge/start-edge.ts'
import { aByokSystem } from '../harness/a-byok-system.ts'
import { aClient, clientOf, saying } from '../harness/a-client.ts'
import { expectLedgerToBalance } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'

/** Registers credentials that lead to loopback, as one made before an operator closed it, or a name moved there. */
/** Another process on the same accounts, as in production: loopback is closed to customers. */
/** Something of ours that no customer may reach. */
let connections = 0

const system = perFile(aByokSystem)
const closed = perFile(() => startEdge({ ...system.config, allowLoopback: false }))
const inside = perFile(() =>
  createServer(socket => {
    connections += 1
    socket.destroy()
  }),
)

beforeAll(async () => {
  await once(inside.listen(0, 'localhost'), 'listening')
})
beforeEach(() => {
  system.simulator.reset()
  connections = 0
})
afterEach(() => expectLedgerToBalance(system.context.sql))

/** The address of what is inside, spelled so. */
function inwards(spelling: string): string {
  const address = inside.address()
  return `${spelling}:${address && typeof address === 'object' ? address.port : 0}/v1`
}

async function aClosedClient() {
  const client = await aClient(system)
  return clientOf({ baseURL: `${closed.url}/v1` }, client)
}

test("a credential's base_url leads where it says, loopback where that is allowed", async () => {
  const client = await aClient(system)
  await system.aCredential(client, 'sim-own-address', { baseUrl: `${system.simulator.url}/openai/v1` })
  expect((await client.post('/chat/completions', saying('Hi'))).status).toBe(200)
  expect(system.usedKeys()).toEqual(['sim-own-address'])
})

test.each(['http://127.0.0.1', 'https://127.0.0.1', 'https://[::1]', 'https://localhost'])(
  'to public addresses only: %s is not called, last_error says why, and the platform answers',
  async spelling => {
    const client = await aClosedClient()
    const { id } = await system.aCredential(client, 'sim-inwards', { baseUrl: inwards(spelling) })
    for (const stream of [false, true]) {
      system.simulator.reset()
      const response = await client.post('/chat/completions', { ...saying('Hi'), stream })
      expect(response.status).toBe(200)
      await response.text()
      expect(system.usedKeys()).toEqual(['sim-platform-key'])
    }
    expect(connections).toBe(0)
    expect(await system.rowOf(id)).toMatchObject({
      last_used_at: null,
      last_error: 'the address does not lead to a public one, over TLS',
    })
  },
)

test('always_use does not help: the answer is a failure, and nothing was called', async () => {
  const client = await aClosedClient()
  await system.aCredential(client, 'sim-inwards', { baseUrl: inwards('https://localhost'), alwaysUse: true })
  const response = await client.post('/chat/completions', saying('Hi'))
  expect(response.status).toBe(502)
  expect(await response.json()).toMatchObject({ error: { code: 'upstream_error' } })
  expect([connections, system.usedKeys()]).toEqual([0, []])
})
