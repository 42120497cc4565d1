import { afterEach, beforeAll, expect, test } from 'vitest'
import { creditAccount } from '../../domain/ledger/adjust-credits.ts'
import { startCarrying } from '../../domain/logs/start-carrying.ts'
import { startWorker } from '../../worker/start-worker.ts'
import { clientOf, saying } from '../harness/a-client.ts'
import { aDatabase } from '../harness/a-database.ts'
import { anApiKey } from '../harness/an-account.ts'
import { anEdgeBeforeControl } from '../harness/an-edge.ts'
import { expectLedgerToBalance } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'
import { aPostgresProxy } from '../harness/postgres/a-postgres-proxy.ts'

const database = perFile(aDatabase)
const proxy = perFile(() => aPostgresProxy(database.url))
const system = perFile(() => anEdgeBeforeControl({ LOG_DATABASE_URL: proxy.url, WORKER_PORT: '0' }))
beforeAll(() => startCarrying({ ...system.context, logs: database.sql }))
perFile(() => startWorker(system.config))
afterEach(() => expectLedgerToBalance(system.context.sql))

const question = `{
  me { balance { available } apiKeys { usage { requests } } }
  requests { nodes { id } }
  usage { nodes { requests } }
}`

test('while the log database hangs, requests are charged, and only its fields are null; nothing is lost', async () => {
  const { accountId, token } = await system.aPerson()
  await system.context.sql`update users set email_confirmed_at = now()`
  const key = await anApiKey(system.context, { accountId })
  await credit(accountId)
  const client = clientOf(system, key)
  const chat = async () => {
    const response = await client.post('/chat/completions', saying('Hi'))
    await response.text()
    expect(response.status).toBe(200)
    return response.headers.get('x-request-id') ?? ''
  }
  const ask = async (query: string) => {
    const response = await fetch(`${system.edge.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query }),
    })
    const { data, errors = [] } = (await response.json()) as Answer
    return { data, errors }
  }
  const first = await chat()
  await expect.poll(async () => (await ask(question)).data.requests?.nodes).toEqual([{ id: first }])

  proxy.stall({ all: true })
  const second = await chat()
  const [{ data, errors }, list] = await Promise.all([
    ask(question),
    system.rest('GET', '/logs/requests', { token }),
  ])
  expect(data).toEqual({
    me: { balance: { available: expect.stringMatching(/^9\.99/) }, apiKeys: [{ usage: null }] },
    requests: null,
    usage: null,
  })
  expect(errors.map(({ path, extensions }) => [path.join('.'), extensions.problem]).sort()).toEqual([
    ['me.apiKeys.0.usage', 'unavailable'],
    ['requests', 'unavailable'],
    ['usage', 'unavailable'],
  ])
  for (const id of [first, second])
    expect(await ask(`{ request(id: "${id}") { id } }`)).toEqual({ data: { request: { id } }, errors: [] })
  expect([list.status, list.body]).toEqual([503, expect.objectContaining({ code: 503 })])
  expect(list.headers.get('retry-after')).toBe('1')

  await proxy.release()
  await expect
    .poll(async () => (await ask(question)).data, { timeout: 30_000 })
    .toEqual({
      me: { balance: expect.anything(), apiKeys: [{ usage: { requests: 2 } }] },
      requests: { nodes: [{ id: second }, { id: first }] },
      usage: { nodes: [{ requests: 2 }] },
    })
}, 90_000)

interface Answer {
  data: { requests: { nodes: { id: string }[] } | null }
  errors?: { path: (string | number)[]; extensions: { problem: string } }[]
}

async function credit(accountId: string): Promise<void> {
  await creditAccount(system.context, {
    accountId,
    amountNanos: 10_000_000_000n,
    source: 'test',
    paymentMethod: 'grant',
  })
}
