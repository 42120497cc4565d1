import { expect, test } from 'vitest'
import { aControlPlane } from '../../test/harness/a-control-plane.ts'
import { forThisTest, perFile } from '../../test/harness/per-file.ts'
import { openDocuments } from './documents.ts'

const control = perFile(aControlPlane)
const person = perFile(() => control.aPerson())

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
