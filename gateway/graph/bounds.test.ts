import { beforeAll, describe, expect, test } from 'vitest'
import { allowanceTable } from '../../schema/allowances.ts'
import { aControlPlane, type Person } from '../../test/harness/a-control-plane.ts'
import { forThisTest, perFile } from '../../test/harness/per-file.ts'

let person: Person
const statements: string[] = []

const control = perFile(() => aControlPlane({}, { onStatement: statement => statements.push(statement) }))

beforeAll(async () => {
  person = await control.aPerson()
})

const ask = (query: string, variables?: Record<string, unknown>) =>
  control.graph(query, { token: person.token, variables })

test('the keys of `me` need the same number of statements for 1 and 30 keys', async () => {
  const countOf = async () => {
    statements.length = 0
    const { errors } = await ask('{ me { id name apiKeys { id name creditUsed fullKey } } }')
    expect(errors).toBeUndefined()
    return statements.length
  }
  await ask('mutation { createApiKey(input: { name: "one" }) { apiKey { id } } }')
  const withOne = await countOf()
  for (let made = 0; made < 29; made++)
    await ask('mutation { createApiKey(input: { name: "more" }) { apiKey { id } } }')
  expect(await countOf()).toBe(withOne)
  expect(withOne).toBeLessThanOrEqual(6)
})

test('a connection pages through every key once, newest first, and counts if totalCount is selected', async () => {
  const seen: string[] = []
  let after: string | null = null
  for (let page = 0; page < 10; page++) {
    const { data, errors } = await ask(
      `query ($after: String) { apiKeys(first: 7, after: $after) {
        totalCount edges { cursor node { id } } pageInfo { hasNextPage endCursor } } }`,
      { after },
    )
    expect(errors).toBeUndefined()
    expect(data.apiKeys.totalCount).toBe(30)
    seen.push(...data.apiKeys.edges.map((edge: { node: { id: string } }) => edge.node.id))
    after = data.apiKeys.pageInfo.endCursor
    if (!data.apiKeys.pageInfo.hasNextPage) break
  }
  expect(seen).toHaveLength(30)
  expect(new Set(seen).size).toBe(30)
  expect(seen).toEqual([...seen].sort().reverse())
})

test('from the end, a connection pages backwards through the same list', async () => {
  const page = async (args: string) => {
    const { data, errors } = await ask(`{ apiKeys(${args}) { nodes { id }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`)
    expect(errors).toBeUndefined()
    return { ...data.apiKeys, ids: data.apiKeys.nodes.map(({ id }: { id: string }) => id) }
  }
  const whole: string[] = (await page('first: 100')).ids
  const last = await page('last: 4')
  expect(last.ids).toEqual(whole.slice(-4))
  expect(last.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true })
  const before = await page(`last: 100, before: "${last.pageInfo.startCursor}"`)
  expect(before.ids).toEqual(whole.slice(0, -4))
  expect(before.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false })
  const first = await page('first: 3')
  expect(first.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false })
  const between = `first: 100, after: "${first.pageInfo.endCursor}", before: "${last.pageInfo.startCursor}"`
  expect((await page(between)).ids).toEqual(whole.slice(3, -4))
  const empty = await page(`first: 5, after: "${last.pageInfo.endCursor}"`)
  expect(empty.pageInfo).toEqual({
    hasNextPage: false,
    hasPreviousPage: true,
    startCursor: null,
    endCursor: null,
  })
})

test('a page whose `first` is null is sized by `last`, and has 20 items without it', async () => {
  const idsOf = async (args: string) => {
    const { data, errors } = await ask(`{ apiKeys(${args}) { nodes { id } } }`)
    expect(errors, args).toBeUndefined()
    return data.apiKeys.nodes
  }
  expect(await idsOf('first: null, last: 4')).toEqual(await idsOf('last: 4'))
  expect(await idsOf('first: null')).toEqual(await idsOf('first: 20'))
  const { data } = await ask('query ($n: Int) { apiKeys(first: $n, last: 3) { nodes { id } } }', { n: null })
  expect(data.apiKeys.nodes).toHaveLength(3)
})

test('a page has 1 to 100 items, and invalid cursors are refused', async () => {
  for (const args of ['first: 0', 'first: -1', 'first: 101', 'last: 0', 'last: 101', 'after: "nonsense"']) {
    const { errors } = await ask(`{ apiKeys(${args}) { totalCount } }`)
    expect(errors?.[0]?.extensions, args).toMatchObject({
      code: 'BAD_USER_INPUT',
      problem: 'validation_failed',
    })
  }
})

const cursor = (...parts: string[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')
const someId = '0190a8c0-0000-7000-8000-000000000001'

describe('a cursor with values that Postgres cannot compare is refused', () => {
  test.each([
    ['apiKeys', 'an id that is no UUID', cursor('1', 'x')],
    ['apiKeys', 'a moment after the year 9999', cursor('999999999999999999', someId)],
    ['requests', 'a moment after the year 9999', cursor('999999999999999999', someId)],
    ['transactions', 'an id with U+0000', cursor('a\0b')],
    ['transactions', 'an id of a thousand characters', cursor('a'.repeat(1000))],
    ['apiKeys', 'no moment', cursor('x', someId)],
    ['apiKeys', 'a value too few', cursor('1')],
    ['apiKeys', 'no text', Buffer.from('[1,{}]').toString('base64url')],
    ['apiKeys', 'no JSON', Buffer.from('[').toString('base64url')],
    ['apiKeys', 'an offset beyond what is counted', Buffer.from('100001').toString('base64url')],
  ])('%s after %s', async (list, _, after) => {
    for (const param of ['after', 'before']) {
      const document = `query ($at: String) { ${list}(${param}: $at) { nodes { id } } }`
      const { errors } = await ask(document, { at: after })
      expect(errors?.[0]?.extensions).toMatchObject({ problem: 'validation_failed', param })
    }
  })

  test.each(['apiKeys', 'requests'])('%s after the last moment there is', async list => {
    const after = cursor('253402300799999999', someId)
    const { errors } = await ask(`{ ${list}(after: "${after}") { nodes { id } } }`)
    expect(errors).toBeUndefined()
  })
})

const ids = [`req_${'f'.repeat(12)}7${'f'.repeat(19)}`, `req_${'0'.repeat(12)}7${'0'.repeat(19)}`, 'x', "'"]
const paths = ['GET /logs/requests/', 'DELETE /api-keys/', 'DELETE /byok/', 'GET /models/']
test.each(paths.flatMap(path => ids.map(id => [path, id])))(
  'an unknown ID of any format is not found: %s%s',
  async (path, id) => {
    const [method, start] = path.split(' ')
    const answer = await control.rest(method!, start + encodeURIComponent(id), { token: person.token })
    expect(answer.status).toBe(404)
  },
)

test('the earliest and latest storable times are accepted, times beyond them are refused', async () => {
  const dated = (expiresAt: string) =>
    ask('mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { expiresAt } } }', {
      input: { name: 'dated', expiresAt },
    })
  const requestsSince = (since: string) =>
    ask('query ($since: DateTime) { requests(filter: { since: $since }) { totalCount } }', { since })
  for (const time of ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z']) {
    expect((await dated(time)).errors, time).toBeUndefined()
    expect((await requestsSince(time)).errors, time).toBeUndefined()
  }
  for (const time of ['0000-12-31T23:59:59Z', '9999-12-31T23:59:59-01:00', '+010000-01-01T00:00:00Z']) {
    expect((await dated(time)).errors?.[0]?.extensions, time).toMatchObject({ problem: 'validation_failed' })
    expect((await requestsSince(time)).errors?.[0]?.extensions, time).toMatchObject({
      problem: 'validation_failed',
    })
  }
})

test('the lowest and highest storable numbers are accepted, numbers beyond them are refused', async () => {
  const limited = (input: object) =>
    ask('mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { id } } }', {
      input: { name: 'limited', ...input },
    })
  for (const input of [{ rateLimitTpd: Number.MAX_SAFE_INTEGER }, { rateLimitRpm: 0 }, { creditLimit: 1e9 }])
    expect((await limited(input)).errors).toBeUndefined()
  for (const input of [
    { rateLimitTpd: Number.MAX_SAFE_INTEGER + 1 },
    { rateLimitRpm: 1.5 },
    { creditLimit: 1e9 + 1 },
    { creditLimit: 1e300 },
  ]) {
    const { errors } = await limited(input)
    expect(errors?.[0]?.extensions).toMatchObject({
      problem: 'validation_failed',
      param: Object.keys(input)[0],
    })
  }
})

test('a search accepts any text of at most 200 characters', async () => {
  const search = (text: string) =>
    ask('query ($text: String) { models(filter: { search: $text }) { totalCount } }', { text })
  const { errors } = await search('word '.repeat(100_000))
  expect(errors?.[0]?.extensions).toMatchObject({ problem: 'validation_failed', param: 'filter.search' })
  const odd = [
    '-'.repeat(200),
    '"'.repeat(200),
    "'".repeat(200),
    '- '.repeat(100),
    "a'b \\ (c) | !d:*",
    ' or '.repeat(50),
  ]
  for (const text of odd) expect((await search(text)).errors, text).toBeUndefined()
})

test('documents that are too deep, long, costly or have too many aliases are refused before execution', async () => {
  const deep = `{ me { ${'...on Account { '.repeat(20)} id ${'} '.repeat(20)} } }`
  const long = `{ me { ${'id '.repeat(2100)} } }`
  const aliased = `{ ${Array.from({ length: 16 }, (_, index) => `a${index}: me { id }`).join(' ')} }`
  const keys = 'me { apiKeys { id name keyPrefix disabled createdAt expiresAt isProvisioning ipWhitelist } }'
  const costly = `{ ${Array.from({ length: 6 }, (_, index) => `a${index}: ${keys}`).join(' ')} }`
  statements.length = 0
  for (const query of [deep, long, aliased, costly]) {
    const { errors, data } = await ask(query)
    expect(data, query.slice(0, 40)).toBeFalsy()
    expect(errors?.[0]?.extensions, query.slice(0, 40)).toMatchObject({
      code: 'BAD_USER_INPUT',
      problem: 'invalid_request',
    })
  }
  expect(
    statements.filter(statement => /accounts|api_keys/.test(statement) && !/signing_keys/.test(statement)),
  ).toEqual([])
})

test('a page whose size is a variable costs as much as the largest page', async () => {
  const ofOne = await costOf('{ apiKeys(first: 1) { nodes { id } } }')
  const ofMany = await costOf('query ($n: Int!) { apiKeys(first: $n) { nodes { id } } }', { n: 1 })
  expect([ofOne, ofMany]).toEqual([3, 102])
})

test('lists without pages cost as much as the maximum of an account', async () => {
  expect(await costOf('{ me { apiKeys { id } } }')).toBe(2 + allowanceTable.keys.paying)
  expect(await costOf('{ me { byokCredentials { id } } }')).toBeGreaterThan(100)
})

const costOf = async (query: string, variables?: Record<string, unknown>) =>
  (await ask(query, variables)).cost.requested

test('an account has at most its allowance of keys, even with concurrent requests; a revoked key does not count', async () => {
  const small = forThisTest(await aControlPlane({ ALLOWANCES: 'keys=5/5' }))
  const { token } = await small.aPerson()
  const create = () => small.rest('POST', '/api-keys', { token, body: { name: 'one of many' } })
  const answers = await Promise.all(Array.from({ length: 9 }, create))
  const statuses = answers.map(({ status }) => status).sort()
  expect(statuses).toEqual([...Array(5).fill(201), ...Array(4).fill(422)])
  const refused = answers.find(({ status }) => status === 422)
  expect(refused?.body.error).toMatchObject({
    code: 'validation_failed',
    message: expect.stringContaining('at most 5 API keys'),
  })
  const listed = await small.rest('GET', '/api-keys', { token })
  expect(listed.body).toHaveLength(5)
  await small.rest('DELETE', `/api-keys/${listed.body[0].id}`, { token })
  expect((await create()).status).toBe(201)
})

test('a statement that exceeds its timeout is cancelled with Retry-After; other requests are served', async () => {
  const impatient = forThisTest(await aControlPlane({}, { statementTimeoutMs: 300 }))
  const { token } = await impatient.aPerson()
  const { sql } = impatient.context
  for (const [table, path] of [
    ['api_keys', '/api-keys'],
    ['request_logs', '/logs/requests'],
  ] as const) {
    const holder = await sql.reserve()
    await holder`begin`
    await holder`lock table ${holder(table)} in access exclusive mode`
    const [held, free] = await Promise.all([
      impatient.rest('GET', path, { token }),
      impatient.rest('GET', '/billing/balance', { token }),
    ])
    expect([held.status, held.body.error.code, free.status]).toEqual([503, 'overloaded', 200])
    expect(held.headers.get('retry-after')).toBe('1')
    await holder`rollback`
    holder.release()
    expect((await impatient.rest('GET', path, { token })).status).toBe(200)
  }
})

test('fragments that spread each other many times are checked quickly', async () => {
  const fragments = Array.from(
    { length: 40 },
    (_, index) => `fragment F${index} on Account { ...F${index + 1} ...F${index + 1} }`,
  )
  const { errors } = await ask(`{ me { ...F0 } } ${fragments.join(' ')} fragment F40 on Account { id }`)
  expect(errors?.[0]?.extensions.problem).toBe('invalid_request')
  const { errors: circular } = await ask(
    `{ me { ...F0 } } ${fragments.join(' ')} fragment F40 on Account { ...F0 }`,
  )
  expect(circular?.[0]?.extensions.problem).toBe('invalid_request')
})

test('errors name their parameter and reveal no internals', async () => {
  const create = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { id } } }'
  const wrong = await ask(create, { input: { isProvisioning: 'yes', ipWhitelist: [5] } })
  const named = wrong.errors?.map(({ extensions }) => extensions.param)
  expect(named?.sort()).toEqual(['ipWhitelist[0]', 'isProvisioning', 'name'])
  const scalar = await ask(create, { input: { name: 'x', creditLimit: 'much' } })
  expect(scalar.errors?.[0]?.extensions).toEqual({
    code: 'BAD_USER_INPUT',
    problem: 'validation_failed',
    param: 'creditLimit',
  })
  const literal = await ask(
    'mutation { createApiKey(input: { name: "x", creditLimit: "much" }) { apiKey { id } } }',
  )
  expect(literal.errors?.[0]?.extensions).toEqual(scalar.errors?.[0]?.extensions)
  const unknown = await ask('{ me { nothing } }')
  expect(unknown.errors?.[0]?.extensions).toMatchObject({
    code: 'BAD_USER_INPUT',
    problem: 'invalid_request',
  })

  await control.context.sql`alter table api_keys rename to api_keys_gone`
  const broken = await ask('{ me { apiKeys { id } } }')
  await control.context.sql`alter table api_keys_gone rename to api_keys`
  expect(broken.errors?.[0]?.extensions).toEqual({ code: 'INTERNAL_SERVER_ERROR', problem: 'internal' })
  expect(JSON.stringify(broken)).not.toMatch(/api_keys|relation|\.ts/)
})

test('every error of an input is reported at once, each with its path and code', async () => {
  const create = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { id } } }'
  const input = {
    name: ' ',
    rateLimitRpm: -1,
    creditLimit: '-0.000000001',
    ipWhitelist: ['1.2.3.4', 'x', 'y'],
  }
  const { data, errors } = await ask(create, { input })
  expect(data).toEqual({ createApiKey: null })
  expect(errors?.map(({ path, extensions }) => [path, extensions])).toEqual(
    ['name', 'ipWhitelist[1]', 'ipWhitelist[2]', 'rateLimitRpm', 'creditLimit'].map(param => [
      ['createApiKey'],
      { code: 'BAD_USER_INPUT', problem: 'validation_failed', param },
    ]),
  )
  const signUp = 'mutation ($input: SignUpInput!) { signUp(input: $input) { session { accessToken } } }'
  const invalidPerson = { email: 'x', password: 'short', name: 'n'.repeat(201) }
  const refused = await control.graph(signUp, { variables: { input: invalidPerson } })
  expect(refused.errors?.map(({ extensions }) => extensions.param)).toEqual(['email', 'password', 'name'])
})

test('at most 20 errors of a variable are reported, and bodies with too many values are refused', async () => {
  const signUp = 'mutation ($input: SignUpInput!) { signUp(input: $input) { session { accessToken } } }'
  const create = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { id } } }'
  const unknown = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]))
  for (const { errors } of [
    await control.graph(signUp, { variables: { input: unknown(2_000) } }),
    await ask(create, { input: { name: 'x', ipWhitelist: Array(2_000).fill(1) } }),
    await ask(create, { input: { name: 'x', ipWhitelist: Array(2_000).fill('\0') } }),
  ]) {
    expect(errors).toHaveLength(20)
    expect(errors?.[0]?.extensions.problem).toBe('validation_failed')
  }
  const { status, errors } = await control.graph(signUp, { variables: { input: unknown(5_001) } })
  expect([status, errors?.[0]?.extensions.problem]).toEqual([400, 'invalid_json'])
  const { body } = await control.rest('POST', '/auth/sign-up', { body: unknown(5_001) })
  expect(body.msg).toBe('The body has more than 5000 values.')
})
