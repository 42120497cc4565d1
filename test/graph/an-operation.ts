import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'

/** A field of Query or Mutation, and where its arguments take ids. */
export interface RootField {
  root: 'Query' | 'Mutation'
  field: GraphQLField<unknown, unknown>
}

/**
 * A document that asks for one root field, with all that it needs, once for each id, as `a0`, `a1`, …; variables carry
 * the arguments. `setIds` are the paths at which an id is given though it need not be.
 */
export function operationOf(
  { root, field }: RootField,
  { ids, setIds = [], depth = 2 }: { ids: readonly string[]; setIds?: readonly string[]; depth?: number },
): { query: string; variables: Record<string, unknown> } {
  const args = field.args.filter(
    arg =>
      (isNonNullType(arg.type) && arg.defaultValue === undefined) ||
      setIds.some(path => pathIn(path, arg.name)),
  )
  const given = ids.flatMap((id, index) =>
    args.map(({ name, type }) => ({ name: `${name}${index}`, type, id, setIds: within(setIds, name) })),
  )
  const declared = given.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ')
  const selection = selectionOf(field.type, depth)
  const asked = ids.map((_, index) => {
    const passed = args.map(({ name }) => `${name}: $${name}${index}`).join(', ')
    return `a${index}: ${field.name}${passed && `(${passed})`} ${selection}`
  })
  return {
    query: `${root.toLowerCase()}${declared && ` (${declared})`} { ${asked.join(' ')} }`,
    variables: Object.fromEntries(given.map(({ name, type, ...fill }) => [name, exampleOf(type, fill)])),
  }
}

/** The paths at which the arguments of a field take ids: `id`, `input.id`, `filter.apiKeyIds`. */
export function idPathsOf({ field }: RootField): string[] {
  return field.args.flatMap(({ name, type }) => idPaths(type, name))
}

function idPaths(type: GraphQLInputType, path: string): string[] {
  const named = getNamedType(type)
  if (named.name === 'ID') return [path]
  if (!isInputObjectType(named)) return []
  return Object.values(named.getFields()).flatMap(field => idPaths(field.type, `${path}.${field.name}`))
}

function exampleOf(type: GraphQLInputType, fill: { id: string; setIds: readonly string[] }): unknown {
  const nullable = getNullableType(type)
  if (isListType(nullable)) return [exampleOf(nullable.ofType, fill)]
  if (isEnumType(nullable)) return nullable.getValues()[0]?.name
  if (isInputObjectType(nullable)) {
    const fields = Object.values(nullable.getFields())
    const named = fields.filter(({ name }) => fill.setIds.some(path => pathIn(path, name)))
    const needed = fields.filter(
      ({ type: inner, defaultValue }) => isNonNullType(inner) && defaultValue === undefined,
    )
    const wanted = nullable.isOneOf ? [...named, ...fields].slice(0, 1) : [...new Set([...needed, ...named])]
    return Object.fromEntries(
      wanted.map(({ name, type: inner }) => [
        name,
        exampleOf(inner, { ...fill, setIds: within(fill.setIds, name) }),
      ]),
    )
  }
  return nullable.name === 'ID' ? fill.id : examples.get(nullable.name)
}

/** A value of each scalar that inputs take. */
const examples = new Map<string, unknown>([
  ['String', 'vendor_a'],
  ['Int', 1],
  ['Float', 1],
  ['Count', 1],
  ['Boolean', false],
  ['Money', '5'],
  ['DateTime', '2026-11-20T08:00:00Z'],
  ['JSON', {}],
])

function pathIn(path: string, name: string): boolean {
  return path === name || path.startsWith(`${name}.`)
}

function within(paths: readonly string[], name: string): string[] {
  return paths.filter(path => path.startsWith(`${name}.`)).map(path => path.slice(name.length + 1))
}

/** The fields that can be selected without arguments, down to `depth` objects. */
function selectionOf(type: GraphQLOutputType, depth: number): string {
  const named = getNamedType(type)
  if (isLeafType(named)) return ''
  if (!isObjectType(named) && !isInterfaceType(named)) return '{ __typename }'
  const fields = Object.values(named.getFields()).filter(({ args }) =>
    args.every(arg => !isNonNullType(arg.type)),
  )
  const selected = fields.flatMap(field => {
    if (isLeafType(getNamedType(field.type))) return [field.name]
    return depth > 1 ? [`${field.name} ${selectionOf(field.type, depth - 1)}`] : []
  })
  return `{ ${['__typename', ...selected].join(' ')} }`
}
