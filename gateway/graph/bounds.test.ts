import { afterAll, beforeAll, expect, test } from 'vitest'
import { aControlPlane, type ControlPlane, type Person } from '../../test/harness/a-control-plane.ts'

let control: ControlPlane
let person: Person
const statements: string[] = []

beforeAll(async () => {
  control = await aControlPlane({}, { onStatement: statement => statements.push(statement) })
  person = await control.aPerson()
})
afterAll(() => control.close())

const ask = (query: string, variables?: Record<string, unknown>) =>
  control.graph(query, { token: person.token, variables })

test('the keys of `me` cost the same statements, one key or thirty', async () => {
  const countOf = async () => {
    statements.length = 0
    const { errors } = await ask('{ me { id name apiKeys { id name creditUsed fullKey } } }')
    expect(errors).toBeUndefined()
    return statements.length
  }
  await ask('mutation { createApiKey(input: { name: "one" }) { id } }')
  const withOne = await countOf()
  for (let made = 0; made < 29; made++) await ask('mutation { createApiKey(input: { name: "more" }) { id } }')
  expect(await countOf()).toBe(withOne)
  expect(withOne).toBeLessThanOrEqual(6)
})

test('a connection pages through every key once, newest first, and counts when asked', async () => {
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

test('a page has 1 to 100 items, and a cursor is one of ours', async () => {
  for (const args of ['first: 0', 'first: -1', 'first: 101', 'after: "nonsense"']) {
    const { errors } = await ask(`{ apiKeys(${args}) { totalCount } }`)
    expect(errors?.[0]?.extensions, args).toMatchObject({
      code: 'BAD_USER_INPUT',
      problem: 'validation_failed',
    })
  }
})

test('deep, long, much aliased and costly documents are refused before anything runs', async () => {
  const deep = `{ me { ${'...on Account { '.repeat(20)} id ${'} '.repeat(20)} } }`
  const long = `{ me { ${'id '.repeat(2100)} } }`
  const aliased = `{ ${Array.from({ length: 16 }, (_, index) => `a${index}: me { id }`).join(' ')} }`
  const costly = `{ apiKeys(first: 100) { ${'edges { node { id name keyPrefix disabled createdAt } } '.repeat(10)} } }`
  statements.length = 0
  for (const query of [deep, long, aliased, costly]) {
    const { errors, data } = await ask(query)
    expect(data, query.slice(0, 40)).toBeFalsy()
    expect(errors?.[0]?.extensions, query.slice(0, 40)).toMatchObject({
      code: 'BAD_USER_INPUT',
      problem: 'invalid_request',
    })
  }
  expect(statements.filter(statement => /accounts|api_keys/.test(statement))).toEqual([])
})

test('a page that a variable sizes costs as much as the largest', async () => {
  const fields = 'edges { node { id name keyPrefix disabled createdAt } } '.repeat(10)
  const { errors } = await ask(`query ($n: Int!) { apiKeys(first: $n) { ${fields} } }`, { n: 1 })
  expect(errors?.[0]?.message).toContain('costs more than')
})

test('fragments that spread each other many times over end quickly', async () => {
  const fragments = Array.from(
    { length: 40 },
    (_, index) => `fragment F${index} on Account { ...F${index + 1} ...F${index + 1} }`,
  )
  const startedAt = performance.now()
  const { errors } = await ask(`{ me { ...F0 } } ${fragments.join(' ')} fragment F40 on Account { id }`)
  expect(errors?.[0]?.extensions.problem).toBe('invalid_request')
  const { errors: circular } = await ask(
    `{ me { ...F0 } } ${fragments.join(' ')} fragment F40 on Account { ...F0 }`,
  )
  expect(circular?.[0]?.extensions.problem).toBe('invalid_request')
  expect(performance.now() - startedAt).toBeLessThan(1000)
})

test('errors name their parameter, and what is ours to hide stays hidden', async () => {
  const create = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { id } }'
  const wrong = await ask(create, { input: { isProvisioning: 'yes', ipWhitelist: [5] } })
  const named = wrong.errors?.map(({ extensions }) => extensions.param)
  expect(named?.sort()).toEqual(['ipWhitelist[0]', 'isProvisioning', 'name'])
  const scalar = await ask(create, { input: { name: 'x', creditLimit: 'much' } })
  expect(scalar.errors?.[0]?.extensions).toEqual({
    code: 'BAD_USER_INPUT',
    problem: 'validation_failed',
    param: 'creditLimit',
  })
  const literal = await ask('mutation { createApiKey(input: { name: "x", creditLimit: "much" }) { id } }')
  expect(literal.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
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
