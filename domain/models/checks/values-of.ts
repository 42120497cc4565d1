import type { ParameterSchema } from '../../../schema/catalog/entry.ts'

/** The longest range of whole numbers that is gone through one by one. */
const longestRange = 1_000

/**
 * Every value that a parameter of a request can have once defaults are filled in, `undefined` among them where
 * it can be left out; undefined itself where the values cannot be listed.
 */
export function valuesOf({ properties, required }: ParameterSchema, name: string): unknown[] | undefined {
  const field = properties[name]
  const listed = field && listOf(field)
  if (!listed) return undefined
  const alwaysThere = required.includes(name) || field.default !== undefined
  return alwaysThere ? listed : [...listed, undefined]
}

function listOf({ enum: listed, type, minimum, maximum }: Record<string, unknown>): unknown[] | undefined {
  if (Array.isArray(listed)) return listed
  if (type === 'boolean') return [true, false]
  if (type !== 'integer' || typeof minimum !== 'number' || typeof maximum !== 'number') return undefined
  if (maximum - minimum > longestRange) return undefined
  return Array.from({ length: maximum - minimum + 1 }, (_, index) => minimum + index)
}
