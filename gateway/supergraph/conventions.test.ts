import {
  type GraphQLField,
  type GraphQLNamedType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql'
import { expect, test } from 'vitest'
import { readApi } from './read-api.ts'

/** Checks the rules of docs/graph.md for every type that clients see. */
const schema = await readApi()
const types = Object.values(schema.getTypeMap()).filter(
  type => !type.name.startsWith('__') && !(isScalarType(type) && isSpecifiedScalarType(type)),
)

function fieldsOf(type: GraphQLNamedType): GraphQLField<unknown, unknown>[] {
  return isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : []
}

const roots = [schema.getQueryType(), schema.getMutationType()].flatMap(type =>
  type ? fieldsOf(type).map(field => ({ ...field, root: type.name })) : [],
)
const mutations = roots.filter(({ root }) => root === 'Mutation')

test('every type, field, argument and value has a description', () => {
  const missing: string[] = []
  const check = (path: string, described: { description?: string | null | undefined }) => {
    if (!described.description?.trim()) missing.push(path)
  }
  for (const type of types) {
    if (!/^(Query|Mutation|Subscription)$/.test(type.name)) check(type.name, type)
    for (const field of fieldsOf(type)) {
      check(`${type.name}.${field.name}`, field)
      for (const arg of field.args) check(`${type.name}.${field.name}(${arg.name})`, arg)
    }
    if (isInputObjectType(type))
      for (const field of Object.values(type.getFields())) check(`${type.name}.${field.name}`, field)
    if (isEnumType(type)) for (const value of type.getValues()) check(`${type.name}.${value.name}`, value)
  }
  expect(missing).toEqual([])
})

test('a failing root field makes only itself null: all root fields except the caller are nullable', () => {
  const never = roots.filter(({ type }) => isNonNullType(type)).map(({ name }) => name)
  expect(never.sort()).toEqual(['me', 'viewer'])
})

test("a mutation has one argument `input` and returns a payload with the mutation's name", () => {
  for (const { name, args, type } of mutations) {
    expect(getNamedType(type).name).toBe(`${name[0]?.toUpperCase()}${name.slice(1)}Payload`)
    if (args.length > 0)
      expect(
        args.map(arg => arg.name),
        name,
      ).toEqual(['input'])
  }
})

test('enumerations are in upper case, and scalars name their specification', () => {
  for (const type of types) {
    if (isEnumType(type)) for (const { name } of type.getValues()) expect(name).toMatch(/^[A-Z][A-Z0-9_]*$/)
    if (isScalarType(type)) expect(type.specifiedByURL, type.name).toMatch(/^https:/)
  }
})

test('a connection is paged from both ends and has all fields of a page', () => {
  const connections = types.filter(({ name }) => name.endsWith('Connection'))
  expect(connections.length).toBeGreaterThan(3)
  for (const type of connections)
    expect(fieldsOf(type).map(({ name }) => name)).toEqual(['edges', 'nodes', 'pageInfo', 'totalCount'])
  const lists = types.flatMap(fieldsOf).filter(({ type }) => getNamedType(type).name.endsWith('Connection'))
  for (const { name, args } of lists)
    expect(
      args.map(arg => arg.name),
      name,
    ).toEqual(expect.arrayContaining(['first', 'after', 'last', 'before']))
})

/** Names without a plural. */
const uncountable = ['usage']

test('lists have plural names', () => {
  const lists = roots.filter(({ root, type }) => root === 'Query' && isMany(type))
  expect(
    lists.map(({ name }) => name).filter(name => !/s$/.test(name) && !uncountable.includes(name)),
  ).toEqual([])

  function isMany(type: (typeof roots)[number]['type']): boolean {
    return (
      isListType(isNonNullType(type) ? type.ofType : type) || getNamedType(type).name.endsWith('Connection')
    )
  }
})
