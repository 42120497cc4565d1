// Writes a JSON Schema as a readable type: `name?: string // description`.

/** Returns the type of a schema as text. `resolve` resolves a reference. */
export function typeText(schema, resolve) {
  return alternatives(schema, { resolve, indent: '', within: [] }).join(' | ')
}

/** Returns the types that a schema allows, each as text. `within` contains the references on the path to it. */
function alternatives(schema, at) {
  if (schema === undefined || schema === true) return ['anything']
  const { $ref } = schema
  if ($ref !== undefined) {
    if (at.within.includes($ref)) return [$ref.split('/').at(-1)]
    return alternatives(at.resolve(schema), { ...at, within: [...at.within, $ref] })
  }
  if ('const' in schema) return [JSON.stringify(schema.const)]
  if (schema.enum) return schema.enum.map(value => JSON.stringify(value))
  const either = schema.anyOf ?? schema.oneOf ?? variantsOf(schema)
  if (either.length > 0) return [...new Set(either.flatMap(one => alternatives(one, at)))]
  const types = [schema.type ?? (schema.properties ? 'object' : 'anything')].flat()
  return types.map(type => ofType(type, schema, at))
}

/** Returns the alternatives of a schema with conditions on its type. */
function variantsOf({ allOf = [] }) {
  return allOf.flatMap(part => (part.then ? [part.then] : []))
}

function ofType(type, schema, at) {
  if (type === 'array') {
    const items = alternatives(schema.items, at)
    return items.length > 1 ? `(${items.join(' | ')})[]` : `${items[0]}[]`
  }
  if (type !== 'object') return type
  const { properties = {}, required = [], additionalProperties } = schema
  const inside = { ...at, indent: `${at.indent}  ` }
  const line = (name, property) =>
    `${inside.indent}${name}: ${alternatives(property, inside).join(' | ')}${commentOf(property)}`
  const lines = Object.entries(properties).map(([name, property]) =>
    line(required.includes(name) ? name : `${name}?`, property),
  )
  if (typeof additionalProperties === 'object') lines.push(line('[name]', additionalProperties))
  return lines.length > 0 ? `{\n${lines.join('\n')}\n${at.indent}}` : 'object'
}

/** Returns the description of a property, or of its non-null alternative. */
function commentOf(property) {
  const said = [property, ...(property.anyOf ?? [])]
  const find = name => said.find(one => one[name] !== undefined)?.[name]
  const words = [
    find('description')?.replaceAll('\n', ' ').replace(/\.$/, ''),
    rangeOf(find('minimum'), find('maximum')),
    find('maxLength') && `at most ${find('maxLength')} characters`,
    find('default') !== undefined && `default ${JSON.stringify(find('default'))}`,
  ].filter(Boolean)
  return words.length > 0 ? `  // ${words.join('; ')}` : ''
}

function rangeOf(minimum, maximum) {
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`
  if (minimum !== undefined) return `at least ${minimum}`
  return maximum !== undefined && `at most ${maximum}`
}
