import { buildASTSchema, type GraphQLSchema, Kind, parse } from 'graphql'

/** Returns a supergraph with the subgraphs of another one, but without their types. */
export function withoutTypes(supergraph: string): GraphQLSchema {
  const { definitions } = parse(supergraph, { noLocation: true })
  const graphs = definitions.find(
    node => node.kind === Kind.ENUM_TYPE_DEFINITION && node.name.value === 'join__Graph',
  )
  const names =
    graphs?.kind === Kind.ENUM_TYPE_DEFINITION ? (graphs.values ?? []).map(({ name }) => name.value) : []
  const query = `type Query ${names.map(name => `@join__type(graph: ${name})`).join(' ')} { ready: Boolean }`
  const kept = definitions.filter(
    node =>
      node.kind === Kind.DIRECTIVE_DEFINITION ||
      ('name' in node && /^(join|link)__/.test(node.name?.value ?? '')),
  )
  return buildASTSchema(
    { kind: Kind.DOCUMENT, definitions: [...kept, ...parse(query).definitions] },
    { assumeValid: true },
  )
}
