import type { GraphQLError } from 'graphql'
import { Problem } from '../../../schema/errors.ts'
import { presented } from './present-graph-error.ts'

/** Where a value stands in the variables: names of fields and places in lists. */
export type Place = readonly (string | number)[]

/** A value that is not valid, named by its parameter. */
export function fault(place: Place, text: string): GraphQLError {
  return presented(new Problem('validation_failed', { param: nameOf(place) || undefined, message: text }))
}

/** A place as clients know it: `ipWhitelist[0]`. */
export function nameOf(place: Place): string {
  return place.reduce<string>((known, part) => known + spelled(part, known), '')
}

function spelled(part: string | number, known: string): string {
  if (typeof part === 'number') return `[${part}]`
  return known === '' ? part : `.${part}`
}
