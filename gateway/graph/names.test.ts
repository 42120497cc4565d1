import { request } from 'node:http'
import fc from 'fast-check'
import { getIntrospectionQuery } from 'graphql'
import { expect, test } from 'vitest'
import { theControlPlane } from '../../test/harness/a-control-plane.ts'

const { control, person } = theControlPlane()

const inherited = Reflect.ownKeys(Object.prototype).filter(name => typeof name === 'string')
const unsafe = [...new Set([...inherited, '__proto__', '__typename', '__x'])]
const ask = (query: string, variables?: Record<string, unknown>) =>
  control.graph(query, { token: person.token, variables })

/** The properties of Object.prototype. A change would affect every request. */
function everyObject(): unknown[] {
  const ofAll = [Object, Object.prototype, Function.prototype, Array.prototype, String.prototype]
  return ofAll.map(it =>
    Reflect.ownKeys(it).map(name => [name, Object.getOwnPropertyDescriptor(it, name)?.value]),
  )
}

test.each(unsafe.flatMap(name => documentsWith(name)))('refused before anything runs: %s', async document => {
  const before = everyObject()
  for (const token of [person.token, undefined]) {
    const { data, errors } = await control.graph(document, { token })
    expect(data ?? null).toBeNull()
    expect(errors?.[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT', problem: 'invalid_request' })
  }
  expect(everyObject()).toEqual(before)
})

/** Documents with the name at every possible place. */
function documentsWith(name: string): string[] {
  return [
    `{ me { ${name}: name } }`,
    `{ ${name}: me { id } }`,
    `{ byokCredentials { ${name}: configJson } }`,
    `query ($${name}: ID!) { apiKey(id: $${name}) { id } }`,
    `{ apiKey(${name}: "x") { id } }`,
    `query ${name} { me { id } }`,
    `{ me { ...${name} } } fragment ${name} on Account { id }`,
    `mutation { createByokCredential(input: { provider: VENDOR_A, label: "x", configJson: { ${name}: { base_url: "https://x.example" } } }) { credential { id } } }`,
    `mutation { signUp(input: { email: "x", password: "y", ${name}: 1 }) { session { ${name}: accessToken } } }`,
  ]
}

test("GraphQL's own names work as names of fields and types", async () => {
  const own = await ask('{ __typename me { __typename type: __typename } }')
  expect(own.data).toEqual({ __typename: 'Query', me: { __typename: 'Account', type: 'Account' } })
  const schema = await ask(getIntrospectionQuery())
  expect(schema.errors).toBeUndefined()
  expect(schema.data.__schema.queryType.name).toBe('Query')
})

test('no names in documents and variables change Object.prototype', async () => {
  const before = everyObject()
  const name = fc.oneof(
    fc.constantFrom(...unsafe, 'base_url', 'length', 'then', 'toJSON'),
    fc.stringMatching(/^[_a-z]\w{0,6}$/),
  )
  await fc.assert(
    fc.asyncProperty(
      name,
      name,
      name,
      fc.jsonValue({ maxDepth: 3 }),
      async (alias, variable, argument, value) => {
        await ask(
          `query ($${variable}: ID) { me { ${alias}: id balance { ${alias}: credits } } apiKey(${argument}: $${variable}) { ${alias}: name } }`,
          { [variable]: value },
        )
        await ask(
          `{ me { ${alias}: id ${alias}: balance { ${argument}: available } } ...${variable} } fragment ${variable} on Query { ${argument}: __typename }`,
        )
      },
    ),
    { numRuns: 40 },
  )
  expect(everyObject()).toEqual(before)
})

test('no JSON body changes Object.prototype or affects later requests', async () => {
  const before = everyObject()
  const key = fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    'base_url',
    'toString',
    'hasOwnProperty',
    'a',
  )
  const json = fc.letrec<{ json: unknown }>(tie => ({
    json: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom('https://thief.example', 1, null),
      fc.dictionary(key, tie('json'), { noNullPrototype: false }),
    ),
  })).json
  await fc.assert(
    fc.asyncProperty(json, key, async (value, name) => {
      const own = (text: unknown) => `{"${name}":${JSON.stringify(text)},"a":1}`
      const bodies = [
        `{"query":"{ me { id } }","variables":${own(value)},"extensions":${own(value)}}`,
        `{"query":"mutation ($c: JSON) { createByokCredential(input: {provider: VENDOR_A, label: \\"l\\", apiKey: \\"sk-1234567890\\", configJson: $c}) { credential { configJson } } }","variables":{"c":${own(value)}}}`,
        `{"${name}":${JSON.stringify(value)},"query":"{ me { id } }"}`,
      ]
      for (const body of bodies) await send('POST', '/graphql', body)
      await send(
        'GET',
        `/graphql?query=${encodeURIComponent('query ($c: ID) { me { id } apiKey(id: $c) { id } }')}&variables=${encodeURIComponent(own(value))}`,
      )
      await send(
        'POST',
        '/api/v1/byok',
        `{"provider":"vendor_a","label":"l","api_key":"sk-1234567890","config_json":${own(value)}}`,
      )
      await send('POST', '/api/v1/api-keys', own(value))
    }),
    { numRuns: 15 },
  )
  expect(everyObject()).toEqual(before)
  const victim = await control.aPerson()
  const stored = await control.rest('POST', '/byok', {
    token: victim.token,
    body: { provider: 'vendor_a', label: 'mine', api_key: 'sk-0987654321' },
  })
  expect([stored.status, stored.body.base_url, stored.body.config_json]).toEqual([201, null, null])
})

/** Sends a body verbatim. JSON.stringify would not produce such names. */
function send(method: string, path: string, body?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${person.token}`,
      ...(body && { 'content-type': 'application/json' }),
    }
    const asked = request(control.url + path, { method, headers }, answer => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
    })
    asked.on('error', reject).end(body)
  })
}
