import { readFile } from 'node:fs/promises'
import { buildSchema, isInterfaceType, isObjectType } from 'graphql'
import { beforeAll, expect, test } from 'vitest'
import { applyCatalogue } from '../../domain/models/apply-catalogue.ts'
import { aControlPlane } from '../../test/harness/a-control-plane.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { theCatalogue } from '../../test/harness/the-catalogue.ts'
import { graphFolder, supergraphFile } from '../supergraph/load-graph.ts'

const statements: string[] = []

const control = perFile(() => aControlPlane({}, { onStatement: statement => statements.push(statement) }))

beforeAll(async () => applyCatalogue(control.context, await theCatalogue()))
const person = perFile(() => control.aPerson())
const stranger = perFile(() => control.aPerson())
const ids = perFile(async () => {
  const { token, accountId } = person
  const create = async (path: string, body: object) =>
    (await control.rest('POST', path, { token, body })).body
  const key = await create('/api-keys', { name: 'mine' })
  const credential = await create('/byok', { provider: 'vendor_a', label: 'own', api_key: 'sk-1234567890' })
  const { id: model } = (await control.rest('GET', '/models', { token })).body.data[0]
  return { account: accountId, key: key.id, ownKey: key.key, credential: credential.id, model }
})

const fields = `__typename id ... on Account { name } ... on ApiKey { label: name }
  ... on ByokCredential { provider } ... on Model { inferenceId }`

test('objects of every type are found by ID, in the order of the IDs', async () => {
  const { data, errors } = await control.graph(
    `query ($ids: [ID!]!) { nodes(ids: $ids) { ${fields} } node(id: "${ids.key}") { ${fields} } }`,
    {
      token: person.token,
      variables: { ids: [ids.model, 'nothing', ids.key, ids.credential, ids.account, ids.key] },
    },
  )
  expect(errors).toBeUndefined()
  const key = { __typename: 'ApiKey', id: ids.key, label: 'mine' }
  expect(data.nodes).toEqual([
    { __typename: 'Model', id: ids.model, inferenceId: expect.stringContaining('/') },
    null,
    key,
    { __typename: 'ByokCredential', id: ids.credential, provider: 'VENDOR_A' },
    { __typename: 'Account', id: ids.account, name: person.email },
    key,
  ])
  expect(data.node).toEqual(key)
})

test('an ID of another account is treated like an unknown ID', async () => {
  const ask = (id: string, token: string | undefined) =>
    control.graph(`query ($id: ID!) { node(id: $id) { ${fields} } }`, { token, variables: { id } })
  const nothing = await ask('0190a8c0-0000-7000-8000-000000000001', stranger.token)
  expect(nothing).toMatchObject({ status: 200, data: { node: null }, errors: undefined })
  for (const id of [ids.account, ids.key, ids.credential])
    expect(await ask(id, stranger.token)).toEqual(nothing)
  const nobody = await ask(ids.account, undefined)
  expect([nobody.data.node, nobody.errors?.[0]?.extensions.problem]).toEqual([null, 'unauthenticated'])
})

test('a key can read itself and no other key of its account', async () => {
  const other = (await control.rest('POST', '/api-keys', { token: person.token, body: { name: 'b' } })).body
  const { data } = await control.graph(`{ nodes(ids: ["${ids.key}", "${other.id}"]) { ${fields} } }`, {
    token: ids.ownKey,
  })
  expect(data.nodes).toEqual([{ __typename: 'ApiKey', id: ids.key, label: 'mine' }, null])
})

test('100 IDs need the same number of statements as one', async () => {
  const countOf = async (size: number) => {
    const list = Array.from(
      { length: size },
      (_, n) => `0190a8c0-0000-7000-8000-${String(n).padStart(12, '0')}`,
    )
    statements.length = 0
    const variables = { ids: [...list.slice(1), ids.key] }
    const { data, errors } = await control.graph(
      'query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on ApiKey { name } } }',
      { token: person.token, variables },
    )
    expect([errors, data.nodes.length]).toEqual([undefined, size])
    return statements.length
  }
  await countOf(1)
  expect(await countOf(100)).toBe(await countOf(1))
  const { errors } = await control.graph('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
    token: person.token,
    variables: { ids: Array(101).fill('x') },
  })
  expect(errors?.[0]?.extensions).toMatchObject({ problem: 'validation_failed', param: 'ids' })
})

test('every entity of the graph is a node', async () => {
  const sdl = await readFile(new URL(supergraphFile, graphFolder), 'utf8')
  const schema = buildSchema(sdl, { assumeValidSDL: true })
  const node = schema.getType('Node')
  if (!isInterfaceType(node)) throw new Error('The graph has no Node')
  const withId = Object.values(schema.getTypeMap()).filter(
    type =>
      isObjectType(type) &&
      sdl.includes(`type ${type.name} `) &&
      /key: "id"/.test(declarationOf(sdl, type.name)),
  )
  const nodes = schema.getPossibleTypes(node).map(({ name }) => name)
  expect(nodes.sort()).toEqual(withId.map(({ name }) => name).sort())
})

function declarationOf(sdl: string, name: string): string {
  return new RegExp(`^type ${name} [^{]*`, 'm').exec(sdl)?.[0] ?? ''
}
