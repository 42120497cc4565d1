import { beforeAll, expect, test } from 'vitest'
import { adjustCredits, creditAccount } from '../../../domain/ledger/adjust-credits.ts'
import { theControlPlane } from '../../../test/harness/a-control-plane.ts'
import { anApiKey, type TestKey } from '../../../test/harness/an-account.ts'
import { aSettledRequest, type SettledRequest } from '../../../test/harness/ledger/a-settled-request.ts'
import { perFile } from '../../../test/harness/per-file.ts'

let key: TestKey
let requests: SettledRequest[]

const { control, person } = theControlPlane()

beforeAll(async () => {
  const { accountId } = person
  key = await anApiKey(control.context, { accountId })
  const { sql, ids } = control.context
  const credit = { accountId, amountNanos: 10_000_000_000n, source: 'payment', paymentMethod: 'stripe' }
  await creditAccount(control.context, credit)
  requests = []
  for (const costNanos of [100_000n, 250_000n, 4_000n]) {
    requests.push(await aSettledRequest(sql, { accountId, keyId: key.keyId, costNanos }))
  }
  await sql`insert into holds (account_id, id, amount_nanos, in_use_nanos)
  values (${accountId}, ${ids.uuid()}, 700000000, 500000000)`
})

const get = (path: string, token: string | undefined = person.token) =>
  control.rest('GET', `/billing/${path}`, { token })

test('the balance shows credits, held, available and currency', async () => {
  const { status, body } = await get('balance')
  expect(status).toBe(200)
  expect(body).toEqual({ credits: 9.999646, held: 0.5, available: 9.499646, currency: 'USD' })
})

test('transactions have all fields and references, and are listed newest first', async () => {
  const { status, body } = await get('transactions')
  expect(status).toBe(200)
  expect(Object.keys(body)).toEqual(['data', 'total', 'page', 'per_page'])
  expect(body).toMatchObject({ total: 4, page: 1, per_page: 20 })
  expect(body.data[0]).toEqual({
    id: expect.stringMatching(/^txn_/),
    credits: -0.000004,
    amount: 0.000004,
    payment_method: 'usage',
    status: 'completed',
    api_key_id: key.keyId,
    request_id: requests[2]?.id,
    task_id: null,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/),
  })
  expect(body.data[3]).toMatchObject({ credits: 10, amount: 10, payment_method: 'stripe', request_id: null })
})

test('another account reads its own balance and transactions', async () => {
  const { token } = await control.aPerson()
  const empty = { credits: 0, held: 0, available: 0, currency: 'USD' }
  expect((await get('balance', token)).body).toEqual(empty)
  expect((await get('transactions', token)).body).toMatchObject({ data: [], total: 0 })
})

let keys: TestKey[]
let charges: SettledRequest[]
const payer = perFile(() => control.aPerson())

beforeAll(async () => {
  const { accountId } = payer
  const { context } = control
  keys = [await anApiKey(context, { accountId }), await anApiKey(context, { accountId })]
  await creditAccount(context, {
    accountId,
    amountNanos: 10_000_000_000n,
    source: 'one',
    paymentMethod: 'stripe',
  })
  await adjustCredits(context, {
    accountId,
    amountNanos: -1_000_000_000n,
    source: 'two',
    reason: 'a mistake',
  })
  charges = []
  for (const { keyId } of [...keys, ...keys]) {
    charges.push(
      await aSettledRequest(context.sql, {
        accountId,
        keyId,
        costNanos: 3_000n,
        columns: { cost_terms: 'input:3:token:1000000000000' },
      }),
    )
  }
})

const list = async (filter: object, token = payer.token) => {
  const { data, errors } = await control.graph(
    `query ($filter: TransactionFilterInput) { transactions(filter: $filter) {
      totalCount nodes { id credits paymentMethod status reason apiKey { id } } } }`,
    { token, variables: { filter } },
  )
  return errors ? { errors } : data.transactions
}

test.each([
  [{ paymentMethods: ['STRIPE'] }, 1],
  [{ paymentMethods: ['STRIPE', 'ADJUSTMENT'] }, 2],
  [{ paymentMethods: ['USAGE'] }, 4],
  [{ paymentMethods: ['USAGE', 'STRIPE'] }, 5],
  [{ paymentMethods: ['DISPUTE'] }, 0],
  [{ statuses: ['COMPLETED'] }, 6],
  [{ since: new Date(Date.now() - 600_000).toISOString() }, 6],
  [{ until: new Date(Date.now() - 600_000).toISOString() }, 0],
  [{ since: '1800-01-01T00:00:00Z', until: '9999-12-31T00:00:00Z' }, 6],
  [{}, 6],
])('%j finds %i, and counts them', async (filter, count) => {
  const { totalCount, nodes } = await list(filter)
  expect([totalCount, nodes.length]).toEqual([count, count])
})

test('charges can be filtered by API key', async () => {
  const { nodes } = await list({ apiKeyIds: [keys[0]?.keyId] })
  expect(nodes).toHaveLength(2)
  expect(nodes[0].apiKey.id).toBe(keys[0]?.keyId)
  const refused = await list({ apiKeyIds: ["'"] })
  expect(refused.errors[0].extensions).toMatchObject({
    problem: 'validation_failed',
    param: 'filter.apiKeyIds',
  })
})

test('a charge refers to its request, with the items of its price, and to its key', async () => {
  const { data, errors } = await control.graph(
    `{ transactions(first: 1) { nodes { amount reason apiKey { id name } task { id }
      request { id modelName costTerms { label quantity unit rate amount } } } } }`,
    { token: payer.token },
  )
  expect(errors).toBeUndefined()
  expect(data.transactions.nodes[0]).toEqual({
    amount: '0.000003',
    reason: null,
    apiKey: { id: keys[1]?.keyId, name: 'test key' },
    task: null,
    request: {
      id: charges[3]?.id,
      modelName: 'vendor_a/model',
      costTerms: [{ label: 'input', quantity: 3, unit: 'token', rate: '0.000001', amount: '0.000003' }],
    },
  })
})

test('a transaction and its reason are found by ID, but not by another account', async () => {
  const [{ id }] = (await list({ paymentMethods: ['ADJUSTMENT'] })).nodes
  const ask = (token: string) =>
    control.graph(`{ transaction(id: "${id}") { reason } node(id: "${id}") { __typename id } }`, { token })
  expect((await ask(payer.token)).data).toEqual({
    transaction: { reason: 'a mistake' },
    node: { __typename: 'Transaction', id },
  })
  const stranger = await ask((await control.aPerson()).token)
  expect(stranger.data).toEqual({ transaction: null, node: null })
})
