import { GraphQLScalarType, Kind } from 'graphql'
import { Problem } from '../../../schema/errors.ts'

/** A whole number up to 2^53 - 1: what GraphQL's own Int (31 bits) is too small for. Also for `bigint` counts. */
export const Count = new GraphQLScalarType<number, number>({
  name: 'Count',
  description: 'A whole number up to 2^53 - 1.',
  serialize: Number,
  parseValue: parseCount,
  parseLiteral: node => parseCount(node.kind === Kind.INT ? Number(node.value) : undefined),
})

function parseCount(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  throw new Problem('validation_failed', {
    message: 'The value must be a whole number of at most 9007199254740991.',
  })
}
