import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { creditAccount } from '../../domain/ledger/adjust-credits.ts'
import { applyCatalogue } from '../../domain/models/apply-catalogue.ts'
import { type RunningEdge, startEdge } from '../../inference-edge/start-edge.ts'
import { decimalDollars, NANOS_PER_DOLLAR, nanos } from '../../platform/money.ts'
import { type RunningSimulator, startSimulator } from '../../simulators/vendors/start-simulator.ts'
import { saying } from '../harness/a-client.ts'
import { aControlPlane, type ControlPlane, type Person } from '../harness/a-control-plane.ts'
import { theCatalogue } from '../harness/the-catalogue.ts'

const statements: string[] = []
let simulator: RunningSimulator
let control: ControlPlane
let edge: RunningEdge

beforeAll(async () => {
  simulator = await startSimulator()
  const vendor = {
    VENDOR_A_API_KEY: 'sim-platform-key',
    VENDOR_A_BASE_URL: `${simulator.url}/openai/v1`,
    SHUTDOWN_GRACE_MS: '2000',
  }
  control = await aControlPlane(vendor, { onStatement: statement => statements.push(statement) })
  await applyCatalogue(control.context, await theCatalogue())
  edge = await startEdge(control.config)
})
afterAll(async () => {
  await edge.close()
  await control.close()
  await simulator.close()
})

const journey = `{
  me { balance { credits held available } apiKeys { name usage { requests spent } } }
}`

test('what the SDK was answered and charged shows in one query', async () => {
  const { token } = await aRichPerson()
  const busy = await aKey(token, 'busy')
  await aKey(token, 'idle')
  const openai = new OpenAI({ apiKey: busy.key, baseURL: `${edge.url}/v1`, maxRetries: 0 })
  await openai.chat.completions.create(saying('How far is the moon?'))
  await openai.chat.completions.create(saying('And the sun?'))

  const { status, data, errors } = await control.graph(journey, { token })

  const spentNanos = await costOfRequests(token, busy.id)
  const credits = decimalDollars(100n * NANOS_PER_DOLLAR - spentNanos)
  expect(spentNanos).toBeGreaterThan(0n)
  expect(errors).toBeUndefined()
  expect(status).toBe(200)
  expect(data.me).toEqual({
    balance: { credits, held: '0', available: credits },
    apiKeys: [
      { name: 'idle', usage: { requests: 0, spent: '0' } },
      { name: 'busy', usage: { requests: 2, spent: decimalDollars(spentNanos) } },
    ],
  })
})

test('it takes as many statements for twenty keys as for one', async () => {
  const [one, many] = [await aRichPerson(), await aRichPerson()]
  await aKey(one.token, 'only')
  for (let count = 0; count < 20; count++) await aKey(many.token, `key ${count}`)
  const ask = ({ token }: Person) => statementsOf(() => control.graph(journey, { token }))
  await ask(one) // what the first query of a process asks besides

  const forOne = await ask(one)
  const forTwenty = await ask(many)

  expect(forTwenty).toHaveLength(forOne.length)
  for (const table of ['accounts', 'balances', 'api_keys', 'key_budgets', 'usage_counters']) {
    expect(forTwenty.filter(statement => statement.includes(table))).toHaveLength(1)
  }
  const toTellWhoCalls = forTwenty.filter(statement => /signing_keys|refresh_tokens/.test(statement))
  expect(forTwenty.length - toTellWhoCalls.length).toBe(4)
})

/** Somebody with a hundred dollars. */
async function aRichPerson(): Promise<Person> {
  const person = await control.aPerson()
  const credit = { accountId: person.accountId, amountNanos: 100n * NANOS_PER_DOLLAR }
  await creditAccount(control.context, { ...credit, source: 'payment', paymentMethod: 'stripe' })
  return person
}

async function aKey(token: string, name: string): Promise<{ id: string; key: string }> {
  return (await control.rest('POST', '/api-keys', { token, body: { name } })).body
}

/** What the requests of a key cost, by the terms that the log explains each with. */
async function costOfRequests(token: string, keyId: string): Promise<bigint> {
  let sumNanos = 0n
  const { body } = await control.rest('GET', `/logs/requests?api_key_id=${keyId}`, { token })
  for (const { id } of body.data) {
    const request = (await control.rest('GET', `/logs/requests/${id}`, { token })).body
    const terms: { amount: string }[] = request.cost_terms
    const explained = terms.reduce((sum, { amount }) => sum + Number(amount), 0)
    expect(explained).toBeCloseTo(request.cost, 9)
    sumNanos += nanos(request.cost) ?? 0n
  }
  return sumNanos
}

async function statementsOf(action: () => Promise<unknown>): Promise<string[]> {
  statements.length = 0
  await action()
  return [...statements]
}
