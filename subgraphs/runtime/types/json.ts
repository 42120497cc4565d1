import { GraphQLScalarType, valueFromASTUntyped } from 'graphql'

/** Any JSON value, passed as it is. */
export const Json = new GraphQLScalarType({
  name: 'JSON',
  description: 'Any JSON value.',
  parseValue: value => value,
  parseLiteral: valueFromASTUntyped,
})
