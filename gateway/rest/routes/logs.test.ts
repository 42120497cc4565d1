import { beforeAll, expect, test } from 'vitest'
import { openLatencyCounts } from '../../../domain/usage/latency-counts.ts'
import { theControlPlane } from '../../../test/harness/a-control-plane.ts'
import { anApiKey, type TestKey } from '../../../test/harness/an-account.ts'
import { aSettledRequest, type SettledRequest } from '../../../test/harness/ledger/a-settled-request.ts'

let key: TestKey
let otherKey: TestKey
const logged: SettledRequest[] = []
const anHourAgo = Date.now() - 3_600_000
const minute = (count: number) => new Date(anHourAgo + count * 60_000)

const { control, person } = theControlPlane()

beforeAll(async () => {
  const { accountId } = person
  key = await anApiKey(control.context, { accountId })
  otherKey = await anApiKey(control.context, { accountId })
  const { sql } = control.context
  const log = async (at: number, keyId: string, columns: Record<string, string | number>) =>
    logged.push(await aSettledRequest(sql, { accountId, keyId, createdAt: minute(at), columns }))
  await log(0, key.keyId, { model: 'vendor_a/one', status: 200 })
  await log(1, key.keyId, { model: 'vendor_b/two', status: 429, error_code: 'rate_limit_exceeded' })
  await log(2, otherKey.keyId, { model: 'vendor_a/one', status: 502 })
  await log(3, otherKey.keyId, { model: 'vendor_c/three', status: 200 })
})

const get = (path: string, token: string | undefined = person.token) =>
  control.rest('GET', `/logs/requests${path}`, { token })

const noTokens = {
  prompt_tokens: 0,
  cached_tokens: 0,
  cache_creation_tokens: 0,
  completion_tokens: 0,
  reasoning_tokens: 0,
}

/** Returns the listed requests as positions in the order of logging. */
async function listed(query: string, token?: string): Promise<number[]> {
  const { body } = await get(query, token)
  return body.data.map(({ id }: { id: string }) => logged.findIndex(request => request.id === id))
}

test('requests are listed newest first and can be filtered', async () => {
  expect(await listed('')).toEqual([3, 2, 1, 0])
  expect(await listed(`?api_key_id=${key.keyId}`)).toEqual([1, 0])
  expect(await listed('?model=vendor_a/one&model=vendor_c/three')).toEqual([3, 2, 0])
  expect(await listed('?status=4xx&status=502')).toEqual([2, 1])
  expect(await listed(`?since=${minute(1).toISOString()}&until=${minute(3).toISOString()}`)).toEqual([2, 1])
  expect(await listed(`?status=200&api_key_id=${otherKey.keyId}`)).toEqual([3])
})

test('a single request has all figures and the items of its cost', async () => {
  const one = await control.aPerson()
  const terms = [{ label: 'input', quantity: 1200, unit: 'token', rate: '0.0000025', amount: '0.003' }]
  const [refused, made] = [
    { status: 401, error: 'auth: no' },
    { status: 200, error: null },
  ]
  const attempts = [
    { credentialId: 'own', model: 'vendor_a/model', durationMs: 9, ...refused },
    { credentialId: null, model: 'vendor_a/model', durationMs: 8, ...made },
  ]
  const tokens = { prompt_tokens: 1200, cached_tokens: 200, completion_tokens: 40 }
  const { id } = await aSettledRequest(control.context.sql, {
    accountId: one.accountId,
    keyId: key.keyId,
    costNanos: 3_000_000n,
    columns: {
      ...tokens,
      cost_terms: 'input:1200:token:2500000000000',
      first_byte_ms: 90,
      attempts: JSON.stringify(attempts),
    },
  })
  const { status, body } = await get(`/${id}`, one.token)
  expect(status).toBe(200)
  expect(body).toEqual({
    id,
    created_at: expect.any(String),
    api_key_id: key.keyId,
    route: 'chat.completions',
    model: 'vendor_a/model',
    answered_by: null,
    vendor: 'vendor_a',
    byok_id: null,
    streamed: false,
    status: 200,
    error_code: null,
    ...noTokens,
    ...tokens,
    usage_estimated: false,
    cost: 0.003,
    cost_terms: terms,
    end_user: null,
    metadata: null,
    client_address: null,
    upstream_request_id: null,
    attempts: [
      { credential_id: 'own', model: 'vendor_a/model', duration_ms: 9, ...refused },
      { credential_id: null, model: 'vendor_a/model', duration_ms: 8, ...made },
    ],
    first_byte_ms: 90,
    duration_ms: 12,
  })
})

test('an ordinary key reads only its own requests', async () => {
  expect(await listed('', key.text)).toEqual([1, 0])
  expect((await get(`?api_key_id=${otherKey.keyId}`, key.text)).status).toBe(403)
  expect((await get(`/${logged[0]?.id}`, key.text)).status).toBe(200)
  expect((await get(`/${logged[3]?.id}`, key.text)).status).toBe(404)
})

test("a provisioning key reads the account's requests, another account reads none", async () => {
  const { accountId } = person
  const provisioning = await anApiKey(control.context, { accountId, isProvisioning: true })
  expect((await get(`/${logged[3]?.id}`, provisioning.text)).status).toBe(200)
  const other = await control.aPerson()
  expect(await listed('', other.token)).toEqual([])
  expect((await get(`/${logged[3]?.id}`, other.token)).status).toBe(404)
  expect((await control.rest('GET', '/logs/requests')).status).toBe(401)
})

test.each([
  ['logs/requests?api_key_id=mine', 'api_key_id'],
  ['logs/requests?since=yesterday', 'since'],
  ['logs/requests?after=x', 'after'],
  ['usage?since=2026-02-31', 'since'],
  ['usage?api_key_id=mine', 'api_key_id'],
  ['usage?metadata=team', 'metadata'],
  ['usage?metadata=team=red&metadata=env=test', 'metadata'],
  ['usage?metadata=team=red&group_by_metadata=env', 'group_by_metadata'],
  ['usage?group_by_metadata=', 'group_by_metadata'],
])('%s is refused, naming %s', async (path, param) => {
  const { status, body } = await control.rest('GET', `/${path}`, { token: person.token })
  expect([status, body.error.code, body.error.param]).toEqual([422, 'validation_failed', param])
})

test('requests are filtered by vendor, end user and cost, and ordered by cost', async () => {
  const one = await control.aPerson()
  const costs = [3_000_000_000n, 1_000_000_000n, 2_000_000_000n]
  for (const [turn, costNanos] of costs.entries()) {
    const columns = { vendor: turn ? 'vendor_b' : 'vendor_a', end_user: `user ${turn}` }
    const { accountId } = one
    await aSettledRequest(control.context.sql, { accountId, keyId: key.keyId, costNanos, columns })
  }
  const costsOf = async (query: string) =>
    (await get(`?${query}`, one.token)).body.data.map(({ cost }: { cost: number }) => cost)
  expect(await costsOf('order_by=cost')).toEqual([3, 2, 1])
  expect(await costsOf('order_by=cost&direction=asc')).toEqual([1, 2, 3])
  expect(await costsOf('vendor=vendor_b&order_by=cost')).toEqual([2, 1])
  expect(await costsOf('end_user=user%200&end_user=user%202')).toEqual([2, 3])
  expect(await costsOf('min_cost=1.5&max_cost=2')).toEqual([2])
})

test('usage is grouped by day by default, by key, model and end user; an ordinary key sees its own, another account none', async () => {
  const day = new Date(anHourAgo).toISOString().slice(0, 10)
  const usage = async (query: string, token = person.token) =>
    (await control.rest('GET', `/usage?${query}`, { token })).body.data
  const byDay = await usage('')
  expect(byDay.reduce((sum: number, { requests }: { requests: number }) => sum + requests, 0)).toBe(4)
  expect(byDay.at(-1)).toEqual({
    day,
    api_key_id: null,
    model: null,
    end_user_kind: null,
    end_user: null,
    metadata_kind: null,
    metadata_value: null,
    requests: expect.any(Number),
    failed_requests: expect.any(Number),
    ...noTokens,
    spent: 0,
    duration_p50_ms: null,
    duration_p95_ms: null,
    first_byte_p50_ms: null,
    first_byte_p95_ms: null,
  })
  const byModel = await usage('group_by=model&group_by=end_user&order_by=requests')
  expect(byModel[0]).toMatchObject({ day: null, model: 'vendor_a/one', end_user_kind: 'none', requests: 2 })
  expect(await usage('group_by=api_key', key.text)).toEqual([
    expect.objectContaining({ api_key_id: key.keyId, requests: 2, failed_requests: 1 }),
  ])
  expect(await usage(`api_key_id=${otherKey.keyId}&group_by=model`)).toHaveLength(2)
  const other = await control.aPerson()
  expect(await usage('', other.token)).toEqual([])
  const forbidden = await control.rest('GET', `/usage?api_key_id=${otherKey.keyId}`, { token: key.text })
  expect([forbidden.status, (await control.rest('GET', '/usage')).status]).toEqual([403, 401])
})

test('requests are counted by time; an ordinary key counts its own', async () => {
  const histogram = async (query: string, token: string | undefined = person.token) => {
    const { status, body } = await control.rest('GET', `/logs/histogram?${query}`, { token })
    return status === 200
      ? body.slots.filter(({ requests }: { requests: number }) => requests > 0)
      : { status, param: body.error.param }
  }
  const period = `since=${minute(0).toISOString()}&until=${minute(4).toISOString()}`
  const counted = (await histogram(`slot=minute&${period}`)).map((slot: object) =>
    Object.values(slot).slice(2),
  )
  expect(counted).toEqual([
    [1, 0],
    [1, 1],
    [1, 1],
    [1, 0],
  ])
  expect(await histogram(`slot=minute&${period}&status=4xx`)).toHaveLength(1)
  expect(await histogram(`slot=minute&${period}`, key.text)).toHaveLength(2)
  expect(await histogram(`slot=minute&since=${minute(-300).toISOString()}`)).toEqual({
    status: 422,
    param: 'slot',
  })
  expect((await histogram('slot=minute')).status).toBe(422)
  const forbidden = await histogram(`slot=hour&${period}&api_key_id=${otherKey.keyId}`, key.text)
  expect(forbidden.status).toBe(403)
})

test('the latencies of usage are read with its groups, and are unknown by end user', async () => {
  const one = await control.aPerson()
  const { accountId } = one
  const { keyId } = await anApiKey(control.context, { accountId })
  await aSettledRequest(control.context.sql, { accountId, keyId, columns: { model: 'vendor_a/one' } })
  const counts = openLatencyCounts(control.context)
  const day = new Date().toISOString().slice(0, 10)
  counts.add({ accountId, keyId, day, model: 'vendor_a/one', durationMs: 2_000, firstByteMs: 100 })
  await counts.close()
  const read = async (query: string) =>
    (await control.rest('GET', `/usage?${query}`, { token: one.token })).body.data[0]
  for (const query of ['', 'group_by=model', 'group_by=api_key&group_by=day', 'model=vendor_a/one']) {
    const group = await read(query)
    expect(Math.abs(group.duration_p95_ms - 2_000), query).toBeLessThan(380)
    expect(Math.abs(group.first_byte_p50_ms - 100), query).toBeLessThan(19)
  }
  expect(await read('group_by=end_user')).toMatchObject({ requests: 1, duration_p50_ms: null })
})

test('in the graph, requests and usage lead to their key, model and credential', async () => {
  const { data, errors } = await control.graph(
    `{
      requests(last: 2, filter: { statuses: ["2xx"] }, orderBy: { field: CREATED_AT, direction: ASC }) {
        nodes { modelName model { id name } apiKey { id name } credential { id } vendor attempts { status } }
        pageInfo { hasPreviousPage hasNextPage startCursor } totalCount
      }
      usage(groupBy: [API_KEY, MODEL], filter: { models: ["vendor_a/one"] }) {
        nodes { apiKey { id name usage { requests failedRequests } } modelName requests } totalCount
      }
    }`,
    { token: person.token },
  )
  expect(errors).toBeUndefined()
  expect(data.requests.totalCount).toBe(2)
  expect(data.requests.nodes).toEqual([
    expect.objectContaining({ modelName: 'vendor_a/one', model: null, vendor: 'VENDOR_A', credential: null }),
    expect.objectContaining({
      modelName: 'vendor_c/three',
      apiKey: { id: otherKey.keyId, name: 'test key' },
    }),
  ])
  expect(data.usage.totalCount).toBe(2)
  for (const { apiKey } of data.usage.nodes)
    expect(apiKey).toMatchObject({ name: 'test key', usage: { requests: 2, failedRequests: 1 } })
})
