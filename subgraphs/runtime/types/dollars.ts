import { GraphQLScalarType, Kind } from 'graphql'
import { dollars, nanos } from '../../../platform/money.ts'
import { Problem } from '../../../schema/errors.ts'

/** Money: a JSON number of dollars at the border, a bigint of nano-dollars inside. */
export const Dollars = new GraphQLScalarType<bigint, number>({
  name: 'Dollars',
  description: 'An amount in US dollars, exact to nine decimals.',
  serialize: value => {
    if (typeof value === 'bigint') return dollars(value)
    throw new TypeError('Dollars are presented from nano-dollars')
  },
  parseValue: parseDollars,
  parseLiteral: node =>
    parseDollars(node.kind === Kind.INT || node.kind === Kind.FLOAT ? Number(node.value) : undefined),
})

function parseDollars(value: unknown): bigint {
  const amountNanos = typeof value === 'number' ? nanos(value) : undefined
  if (amountNanos !== undefined) return amountNanos
  throw new Problem('validation_failed', {
    message: 'An amount must be a number of dollars below 1000000000000000, with at most nine decimals.',
  })
}
