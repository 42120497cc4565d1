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

/** A document that asks for one root field, with all that it needs; variables carry the arguments. */
export function operationOf(
  { root, field }: RootField,
  { id, setIds = [], depth = 2 }: { id: string; setIds?: readonly string[]; depth?: number },
): { query: string; variables: Record<string, unknown> } {
  const args = field.args.filter(
    arg =>
      (isNonNullType(arg.type) && arg.defaultValue === undefined) ||
      setIds.some(path => pathIn(path, arg.name)),
  )
  const variables = Object.fromEntries(
    args.map(arg => [arg.name, exampleOf(arg.type, { id, setIds: within(setIds, arg.name) })]),
  )
  const declared = args.map(arg => `$${arg.name}: ${String(arg.type)}`).join(', ')
  const given = args.map(arg => `${arg.name}: $${arg.name}`).join(', ')
  const head = `${root.toLowerCase()}${declared && ` (${declared})`}`
  return {
    query: `${head} { ${field.name}${given && `(${given})`} ${selectionOf(field.type, depth)} }`,
    variables,
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
      ({ type, defaultValue }) => isNonNullType(type) && defaultValue === undefined,
    )
    const wanted = nullable.isOneOf ? [...named, ...fields].slice(0, 1) : [...new Set([...needed, ...named])]
    return Object.fromEntries(
      wanted.map(({ name, type }) => [name, exampleOf(type, { ...fill, setIds: within(fill.setIds, name) })]),
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

/** What can be selected without arguments, so many objects deep. */
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
