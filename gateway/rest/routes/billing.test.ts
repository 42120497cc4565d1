import { afterAll, beforeAll, expect, test } from 'vitest'
import { creditAccount } from '../../../domain/ledger/adjust-credits.ts'
import { aControlPlane, type ControlPlane, type Person } from '../../../test/harness/a-control-plane.ts'
import { aSettledRequest, type SettledRequest } from '../../../test/harness/a-settled-request.ts'
import { anApiKey, type TestKey } from '../../../test/harness/an-account.ts'

let control: ControlPlane
let person: Person
let key: TestKey
let requests: SettledRequest[]

beforeAll(async () => {
  control = await aControlPlane()
  person = await control.aPerson()
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
afterAll(() => control.close())

const get = (path: string, token: string | undefined = person.token) =>
  control.rest('GET', `/billing/${path}`, { token })

test('the balance shows credits, held, available and currency', async () => {
  const { status, body } = await get('balance')
  expect(status).toBe(200)
  expect(body).toEqual({ credits: 9.999646, held: 0.5, available: 9.499646, currency: 'USD' })
})

test('transactions have all their fields, name what they paid for, and come newest first', async () => {
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

test('pages by number cover each transaction once', async () => {
  const pages = await Promise.all([1, 2, 3].map(page => get(`transactions?page=${page}&per_page=3`)))
  expect(pages.map(({ body }) => body.data.length)).toEqual([3, 1, 0])
  expect(pages[1]?.body).toMatchObject({ total: 4, page: 2, per_page: 3 })
  const ids = pages.flatMap(({ body }) => body.data.map(({ id }: { id: string }) => id))
  expect(new Set(ids).size).toBe(4)
})

test('in the graph, cursors cover each transaction once as well', async () => {
  const document = `query ($after: String) {
    transactions(first: 3, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } totalCount }
  }`
  const page = async (after?: string) =>
    (await control.graph(document, { token: person.token, variables: { after } })).data.transactions
  const first = await page()
  const second = await page(first.pageInfo.endCursor)
  expect(first).toMatchObject({ totalCount: 4, pageInfo: { hasNextPage: true } })
  expect(second.pageInfo.hasNextPage).toBe(false)
  expect(new Set([...first.nodes, ...second.nodes].map(({ id }) => id)).size).toBe(4)
})

test.each([
  ['page=0', 'page'],
  ['per_page=101', 'per_page'],
  ['per_page=many', 'per_page'],
])('%s is refused, naming %s', async (query, param) => {
  const { status, body } = await get(`transactions?${query}`)
  expect(status).toBe(422)
  expect(body).toMatchObject({ code: 422, error: { param } })
})

test('an ordinary key and a provisioning key read them too, another account sees its own, nobody sees nothing', async () => {
  const { accountId } = person
  const provisioning = await anApiKey(control.context, { accountId, isProvisioning: true })
  for (const { text } of [key, provisioning]) {
    expect((await get('balance', text)).body.held).toBe(0.5)
    expect((await get('transactions', text)).body.total).toBe(4)
  }
  const other = await control.aPerson()
  expect((await get('balance', other.token)).body).toEqual({
    credits: 0,
    held: 0,
    available: 0,
    currency: 'USD',
  })
  expect((await get('transactions', other.token)).body).toMatchObject({ data: [], total: 0 })
  expect((await control.rest('GET', '/billing/balance')).status).toBe(401)
  expect((await control.rest('GET', '/billing/transactions')).status).toBe(401)
})
