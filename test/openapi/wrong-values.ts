import { type Json, resolve } from './the-document.ts'

/** A value that a schema does not allow. */
export interface WrongValue {
  /** The rule that it breaks. */
  name: string
  value: unknown
}

/** The longest text and list that is made to break a rule. */
const longest = 20_000

/**
 * Returns values that a schema does not allow, one for each rule of it: another type, a number out of range, a text that
 * is too long, an unlisted word. For an object, each is `example` with one field missing, unknown or wrong.
 */
export function wrongValues(described: Json, example?: Json): WrongValue[] {
  const schema = withoutNull(resolve(described))
  if (schema.type === 'object' && schema.properties) return wrongObjects(schema, example ?? {})
  if (schema.type === 'array') return wrongLists(schema)
  return [...wrongTypes(schema), ...wrongNumbers(schema), ...wrongTexts(schema)]
}

function wrongObjects(
  { properties, required = [], additionalProperties }: Json,
  example: Json,
): WrongValue[] {
  const missing = required.map((name: string) => {
    const { [name]: _, ...rest } = example
    return { name: `${name} is missing`, value: rest }
  })
  const unknown =
    additionalProperties === false
      ? [{ name: 'an unknown field', value: { ...example, unknown_field: 1 } }]
      : []
  const wrong = Object.entries<Json>(properties).flatMap(([name, schema]) =>
    wrongValues(schema, example[name]).map(fault => ({
      name: `${name}: ${fault.name}`,
      value: { ...example, [name]: fault.value },
    })),
  )
  return [...missing, ...unknown, ...wrong]
}

function wrongLists({ items, maxItems, minItems }: Json): WrongValue[] {
  const item = rightValue(items)
  return [
    { name: 'no list', value: 'no list' },
    ...(items
      ? wrongValues(items).map(({ name, value }) => ({ name: `an item: ${name}`, value: [value] }))
      : []),
    ...(maxItems < longest && item !== undefined
      ? [{ name: `${maxItems + 1} items`, value: Array(maxItems + 1).fill(item) }]
      : []),
    ...(minItems > 0 ? [{ name: 'too few items', value: [] }] : []),
  ]
}

function wrongTypes({ type, enum: words }: Json): WrongValue[] {
  const others: Record<string, unknown> = { string: 5, integer: 'x', number: 'x', boolean: 'x', object: 'x' }
  const wrong =
    typeof type === 'string' && type in others ? [{ name: `no ${type}`, value: others[type] }] : []
  return words ? [...wrong, { name: 'an unknown word', value: 'no such word' }] : wrong
}

function wrongNumbers({ type, minimum, maximum, exclusiveMinimum }: Json): WrongValue[] {
  return [
    ...(type === 'integer' ? [{ name: 'no whole number', value: (minimum ?? 0) + 0.5 }] : []),
    ...(minimum !== undefined ? [{ name: 'too small', value: minimum - 1 }] : []),
    ...(exclusiveMinimum !== undefined ? [{ name: 'too small', value: exclusiveMinimum }] : []),
    ...(maximum !== undefined && maximum < 1e15 ? [{ name: 'too large', value: maximum + 1 }] : []),
  ]
}

function wrongTexts({ minLength, maxLength, pattern }: Json): WrongValue[] {
  return [
    ...(minLength > 0 ? [{ name: 'too short', value: '' }] : []),
    ...(maxLength < longest ? [{ name: 'too long', value: 'x'.repeat(maxLength + 1) }] : []),
    ...(pattern ? [{ name: 'another pattern', value: '\u0001 ?' }] : []),
  ]
}

function rightValue(items: Json): unknown {
  const { type, enum: words, format } = withoutNull(resolve(items ?? {}))
  if (words) return words[0]
  if (type === 'string') return format === 'date' ? '2026-11-01' : 'x'
  return type === 'integer' || type === 'number' ? 1 : undefined
}

/** The schema of the values that are not null. A choice of several schemas has no rule that is tried. */
function withoutNull(schema: Json): Json {
  if (Array.isArray(schema.anyOf)) {
    const others = schema.anyOf.filter(({ type }: Json) => type !== 'null')
    return others.length === 1 ? withoutNull(resolve(others[0])) : {}
  }
  if (!Array.isArray(schema.type)) return schema
  const types = schema.type.filter((type: string) => type !== 'null')
  return { ...schema, type: types.length === 1 ? types[0] : undefined }
}
