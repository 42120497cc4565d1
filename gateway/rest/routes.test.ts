import { readFile } from 'node:fs/promises'
import { buildSchema, getNamedType, isInputObjectType, parse, validate } from 'graphql'
import { expect, test } from 'vitest'
import { graphFolder, supergraphFile } from '../supergraph/load-graph.ts'
import { compileRoute, snakeCase } from './compile-route.ts'
import { readVariables } from './read-variables.ts'
import type { Route } from './routes/route.ts'
import { routes } from './routes/routes.ts'

const supergraph = buildSchema(await readFile(new URL(supergraphFile, graphFolder), 'utf8'), {
  assumeValidSDL: true,
})

test.each(routes)('$method $path is one operation of the supergraph', route => {
  expect(validate(supergraph, parse(route.document)).map(({ message }) => message)).toEqual([])
  const { document } = compileRoute(supergraph, route)
  expect(validate(supergraph, document).map(({ message }) => message)).toEqual([])
})

test.each(routes)('$method $path has a source for every variable', route => {
  const { variables } = compileRoute(supergraph, route)
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(match => match[1])
  const names = variables.map(({ name }) => name)
  const input = variables.find(({ name }) => name === 'input')
  const inputType = input && getNamedType(input.type)
  const fields = isInputObjectType(inputType) ? Object.keys(inputType.getFields()) : []
  expect([...names, ...fields]).toEqual(expect.arrayContaining(inPath))
  if (names.includes('input')) expect(['POST', 'PUT']).toContain(route.method)
  if (route.method === 'GET') expect(names).not.toContain('input')
})

test('no two routes have the same path and method', () => {
  const addresses = routes.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`)
  expect(new Set(addresses).size).toBe(addresses.length)
})

test('the rule for names never maps two names to one', () => {
  for (const type of Object.values(supergraph.getTypeMap())) {
    if (!isInputObjectType(type)) continue
    const names = Object.keys(type.getFields())
    expect(new Set(names.map(snakeCase)).size, type.name).toBe(names.length)
  }
})

const probe: Route = {
  method: 'PUT',
  path: '/things/{id}',
  document: `
    mutation probe($id: ID!, $input: UpdateApiKeyInput!, $perPage: Int, $names: [String!]) {
      updateApiKey(input: $input) { apiKey { keyPrefix shown: createdAt } }
      revokeApiKey(input: { id: $id }) { revokedApiKeyId }
      __typename @include(if: false) perPage: __typename @skip(if: true)
    }`,
}

test('names are in snake_case; unknown fields are refused, absent fields stay absent', () => {
  const { variables, document } = compileRoute(supergraph, probe)
  const read = readVariables(variables, {
    path: { id: 'one' },
    query: new URLSearchParams('per_page=7&names=a&names=b&id=other&unknown=1'),
    body: { credit_limit: 5, rate_limit_rpm: null },
  })
  expect(read).toEqual({
    id: 'one',
    perPage: 7,
    names: ['a', 'b'],
    input: { id: 'one', creditLimit: 5, rateLimitRpm: null },
  })
  const own = { path: { id: 'one' }, query: new URLSearchParams(), body: { id: 'other' } }
  expect(() => readVariables(variables, own)).toThrow('id is not known, or cannot be set here')
  for (const unknown of ['unknown', 'creditLimit']) {
    const body = { credit_limit: 5, [unknown]: 6 }
    expect(() => readVariables(variables, { path: {}, query: new URLSearchParams(), body })).toThrow(unknown)
  }
  expect(JSON.stringify(document)).toContain('key_prefix')
  expect(JSON.stringify(document)).not.toContain('created_at')
})

test('an invalid number stays text, which its type refuses', () => {
  const { variables } = compileRoute(supergraph, probe)
  const query = new URLSearchParams('per_page=seven')
  expect(readVariables(variables, { path: {}, query, body: undefined })).toMatchObject({ perPage: 'seven' })
})
