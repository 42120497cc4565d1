import { beforeAll, expect, test } from 'vitest'
import { adjustCredits, creditAccount } from '../../../domain/ledger/adjust-credits.ts'
import { aControlPlane } from '../../../test/harness/a-control-plane.ts'
import { anApiKey, type TestKey } from '../../../test/harness/an-account.ts'
import { aSettledRequest, type SettledRequest } from '../../../test/harness/ledger/a-settled-request.ts'
import { perFile } from '../../../test/harness/per-file.ts'

let keys: TestKey[]
let requests: SettledRequest[]

const control = perFile(aControlPlane)
const person = perFile(() => control.aPerson())

beforeAll(async () => {
  const { accountId } = person
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
  requests = []
  for (const { keyId } of [...keys, ...keys]) {
    requests.push(
      await aSettledRequest(context.sql, {
        accountId,
        keyId,
        costNanos: 3_000n,
        columns: { cost_terms: 'input:3:token:1000000000000' },
      }),
    )
  }
})

const list = async (filter: object, token = person.token) => {
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
    { token: person.token },
  )
  expect(errors).toBeUndefined()
  expect(data.transactions.nodes[0]).toEqual({
    amount: '0.000003',
    reason: null,
    apiKey: { id: keys[1]?.keyId, name: 'test key' },
    task: null,
    request: {
      id: requests[3]?.id,
      modelName: 'vendor_a/model',
      costTerms: [{ label: 'input', quantity: 3, unit: 'token', rate: '0.000001', amount: '0.000003' }],
    },
  })
})

test('a transaction and its reason are found by ID, but not by another account', async () => {
  const [{ id }] = (await list({ paymentMethods: ['ADJUSTMENT'] })).nodes
  const ask = (token: string) =>
    control.graph(`{ transaction(id: "${id}") { reason } node(id: "${id}") { __typename id } }`, { token })
  expect((await ask(person.token)).data).toEqual({
    transaction: { reason: 'a mistake' },
    node: { __typename: 'Transaction', id },
  })
  const stranger = await ask((await control.aPerson()).token)
  expect(stranger.data).toEqual({ transaction: null, node: null })
})
