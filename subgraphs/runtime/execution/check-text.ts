import type { GraphQLError } from 'graphql'
import { isText } from '../../../platform/is-text.ts'
import { fault, nameOf, type Place } from './name-fault.ts'

/** Nothing that the graph takes nests deeper. */
const maxDepth = 64

/** Every text in a variable's value that cannot be kept, and names of fields likewise; empty when all can. */
export function checkText(value: unknown, place: Place): GraphQLError[] {
  if (typeof value === 'string') return isText(value) ? [] : [notText(place)]
  if (typeof value !== 'object' || value === null) return []
  if (place.length > maxDepth) return [fault(place.slice(0, 1), 'The value nests too deep.')]
  if (Array.isArray(value)) return value.flatMap((item, index) => checkText(item, [...place, index]))
  return Object.entries(value).flatMap(([name, item]) =>
    isText(name) ? checkText(item, [...place, name]) : [notText(place)],
  )
}

/** Says that what stands there is no text. */
export function notText(place: Place): GraphQLError {
  return fault(place, `${nameOf(place)} must be text, without U+0000 and halves of characters.`)
}
