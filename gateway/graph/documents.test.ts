import { expect, test } from 'vitest'
import { allowanceTable } from '../../schema/allowances.ts'
import { aControlPlane, theControlPlane } from '../../test/harness/a-control-plane.ts'
import { forThisTest } from '../../test/harness/per-file.ts'
import { openDocuments } from './documents.ts'

const { control, person } = theControlPlane()

const bounds = { maxTextBytes: 65_536, maxTokens: 2000, maxKeptBytes: 8_000_000 }
const ask = (query: string) => control.graph(query, { token: person.token })

test('the cache has a size limit in bytes and keeps documents in use', () => {
  const documents = openDocuments(bounds)
  const used = documents.read('{ me { id } }')
  for (let turn = 0; turn < 200; turn++) {
    documents.read(`{ me { id } } # ${turn} ${'x'.repeat((turn % 8) * 8_000)}`)
    documents.read(`{ me { ${'id '.repeat((turn * 10) % 1900)} a${turn}: id } }`)
    expect(documents.keptBytes).toBeLessThanOrEqual(bounds.maxKeptBytes)
    expect(documents.read('{ me { id } }')).toBe(used)
  }
})

test('refused documents are not cached', () => {
  const documents = openDocuments(bounds)
  const refused = [
    '{',
    `{ ${'id '.repeat(2_000)} }`,
    '{ a(x: "',
    '{ __proto__: me }',
    `{ a(x: ${'['.repeat(30)}${']'.repeat(30)}) }`,
  ]
  for (const text of refused) expect(() => documents.read(text), text).toThrow()
  expect(documents.keptBytes).toBe(0)
})

test('a document of 64 kB is accepted, a longer one is refused before it is parsed', async () => {
  const padded = (bytes: number) => `{ me { id } } #${'x'.repeat(bytes - 15)}`
  expect((await ask(padded(65_536))).data.me.id).toBe(person.accountId)
  const { data, errors } = await ask(padded(65_537))
  expect(data).toBeUndefined()
  expect(errors?.[0]).toMatchObject({
    message: 'query must have at most 65536 bytes.',
    extensions: { code: 'BAD_USER_INPUT', problem: 'invalid_request', param: 'query' },
  })
})

test.each([25, 50, 400])('a literal value nested %d levels deep is refused with 400', async depth => {
  const value = `${'{a:'.repeat(depth)}1${'}'.repeat(depth)}`
  const list = `${'['.repeat(depth)}String${']'.repeat(depth)}`
  for (const query of [
    `mutation { createByokCredential(input: {provider: VENDOR_A, label: "x", configJson: ${value}}) { credential { id } } }`,
    `query ($a: ${list}) { me { id } apiKey(id: $a) { id } }`,
  ]) {
    const { status, errors } = await control.graph(query, {
      token: person.token,
      headers: { accept: 'application/graphql-response+json' },
    })
    expect([status, errors?.[0]?.extensions.problem]).toEqual([400, 'invalid_request'])
  }
})

test('an unknown operationName is refused', async () => {
  const answer = await fetch(`${control.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${person.token}` },
    body: JSON.stringify({ query: 'query a { me { id } }', operationName: 'b' }),
  })
  expect([answer.status, (await answer.json()).errors[0].extensions.problem]).toEqual([
    400,
    'invalid_request',
  ])
})

test('__schema must be selected in a separate document', async () => {
  for (const query of [
    '{ me { id } __schema { queryType { name } } }',
    '{ ...F } fragment F on Query { __type(name: "Account") { name } }',
  ]) {
    const { errors } = await ask(query)
    expect(errors?.[0]?.extensions.problem).toBe('invalid_request')
    expect(errors?.[0]?.message).toContain('separate document')
  }
})

test('without introspection, errors suggest no names', async () => {
  const shut = forThisTest(await aControlPlane({ GRAPH_INTROSPECTION: 'false' }))
  const { token } = await shut.aPerson()
  for (const query of [
    '{ me { nam } }',
    '{ mee { name } }',
    '{ apiKeys(frist: 1) { totalCount } }',
    'query ($x: CreateApiKeyInpt) { me { id } }',
    'mutation { createApiKey(input: { nam: "x" }) { apiKey { id } } }',
    'mutation { createByokCredential(input: { provider: VENDOR_AA, label: "x" }) { credential { id } } }',
    '{ me { ... on Accoun { id } } }',
    '{ __schema { queryType { name } } }',
  ]) {
    const { errors } = await shut.graph(query, { token })
    expect(errors?.length, query).toBeGreaterThan(0)
    expect(JSON.stringify(errors), query).not.toMatch(/did you mean/i)
  }
  const typo = 'mutation ($i: CreateApiKeyInput!) { createApiKey(input: $i) { apiKey { id } } }'
  const { errors } = await shut.graph(typo, { token, variables: { i: { nam: 'x' } } })
  expect(JSON.stringify(errors)).not.toMatch(/did you mean/i)
})

test('a field with a selection or arguments can be repeated 30 times', async () => {
  const times = (count: number, field: string) => `{ ${`${field} `.repeat(count)}}`
  const inFragments = Array.from({ length: 31 }, (_, turn) => `fragment f${turn} on Query { me { id } }`)
  const spread = `{ ${inFragments.map((_, turn) => `...f${turn}`).join(' ')} } ${inFragments.join(' ')}`
  expect((await ask(times(30, 'me { id }'))).data.me.id).toBe(person.accountId)
  expect((await ask(`{ me { ${'id '.repeat(200)} } }`)).data.me.id).toBe(person.accountId)
  for (const document of [
    times(31, 'me { id }'),
    times(31, 'apiKey(id: "x")'),
    times(31, '... { me { id } }'),
    spread,
  ])
    expect((await ask(document)).errors?.[0]).toMatchObject({
      message: expect.stringMatching(/^\w+ is selected more than 30 times in one document.$/),
      extensions: { problem: 'invalid_request', param: 'query' },
    })
})

const create = (input: string) => `mutation { createApiKey(input: ${input}) { apiKey { id } } }`

test.each([
  ['text that is a number', create('{ name: 5 }'), ['name']],
  ['text that cannot be stored', create('{ name: "a\\u0000" }'), ['name']],
  ['several faults', create('{ ipWhitelist: ["1.2.3.4", 5], foo: 1 }'), ['foo', 'ipWhitelist[1]', 'name']],
  ['a scalar', create('{ name: "x", creditLimit: "much" }'), ['creditLimit']],
  ['a list in place of a scalar', create('{ name: "x", creditLimit: [1] }'), ['creditLimit']],
  ['a time', '{ requests(filter: { since: "soon" }) { totalCount } }', ['filter.since']],
  ['a word', '{ models(filter: { modalities: [CHAT, NOPE] }) { totalCount } }', ['filter.modalities[1]']],
  ['a missing argument', '{ apiKey { id } }', ['id']],
  ['an unknown argument', '{ apiKeys(count: 3) { totalCount } }', ['count']],
  [
    'a default',
    'query ($since: DateTime = "soon") { requests(filter: { since: $since }) { totalCount } }',
    ['since'],
  ],
])('an invalid literal value names its parameter, like a variable: %s', async (_, query, params) => {
  const { data, errors } = await control.graph(query, { token: person.token })
  expect(data).toBeFalsy()
  expect(errors?.map(({ extensions }) => extensions.param).sort()).toEqual(params)
  for (const { extensions } of errors ?? [])
    expect(extensions).toMatchObject({ code: 'BAD_USER_INPUT', problem: 'validation_failed' })
})

test('valid literal values of every scalar are accepted', async () => {
  const key = create(
    '{ name: "x", creditLimit: "1.5", rateLimitTpd: 9007199254740991, expiresAt: "2999-01-01T00:00:00Z" }',
  )
  for (const query of [
    key,
    key.replace('"1.5"', '1.5'),
    '{ requests(filter: { since: null }) { totalCount } }',
  ])
    expect((await control.graph(query, { token: person.token })).errors).toBeUndefined()
})

const fragments = 'fragment A on Account { id name } fragment B on Account { id apiKeys { id } ...A }'

test("the result contains the document's cost and the maximum", async () => {
  const maximum = control.config.graphMaxComplexity
  for (const _time of ['first', 'with cached validation'])
    expect((await ask('{ me { id name } }')).cost).toEqual({ requested: 3, maximum })
  const pages = '{ apiKeys(first: 10) { nodes { id name } } more: apiKeys(last: 4) { nodes { id } } }'
  expect((await ask(pages)).cost.requested).toBe(2 + 10 * 2 + 2 + 4)
  const two = await ask('{ apiKey(id: "x") { id } }')
  expect([two.data, two.cost.requested]).toEqual([{ apiKey: null }, 2])
})

test.each([
  [`{ me { id ...A ...B ...B } } ${fragments}`, 4 + allowanceTable.keys.paying],
  ['{ apiKeys(first: 10) { pageInfo { hasNextPage endCursor } totalCount } }', 5],
  ['{ apiKeys(first: 10) { nodes { id } nodes { id name } } }', 2 + 10 * 2],
  ['{ node(id: "x") { ... on ApiKey { id name } ... on Model { id name } } }', 3],
])('a field in several fragments costs once, and fields of the page once: %s', async (query, cost) => {
  expect((await ask(query)).cost.requested).toBe(cost)
})
