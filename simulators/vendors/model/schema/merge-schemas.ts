import { isRecord, type Json, type JsonRecord } from '../../json.ts'

/** One schema that demands what two flat ones demand. */
export function mergeSchemas(one: JsonRecord, other: JsonRecord): JsonRecord {
  const merged: JsonRecord = { ...one }
  for (const [word, demand] of Object.entries(other)) {
    const present = merged[word]
    merged[word] = present === undefined ? demand : mergeWord(word, present, demand)
  }
  return merged
}

function mergeWord(word: string, one: Json, other: Json): Json {
  if (typeof one === 'number' && typeof other === 'number') return mergeBound(word, one, other)
  switch (word) {
    case 'properties':
      return isRecord(one) && isRecord(other) ? mergeProperties(one, other) : other
    case 'required':
      return [...new Set([...list(one), ...list(other)])]
    case 'enum':
      return list(one).filter(value => list(other).some(allowed => isSame(value, allowed)))
    case 'type':
      return mergeTypes(list(one), list(other))
    case 'items':
    case 'additionalProperties':
      return { allOf: [one, other] }
    default:
      return other
  }
}

const lowerBounds = /^(exclusiveMinimum|min[A-Z]?.*)$/

function mergeBound(word: string, one: number, other: number): number {
  if (word === 'multipleOf') return one % other === 0 ? one : other
  return lowerBounds.test(word) ? Math.max(one, other) : Math.min(one, other)
}

function mergeProperties(one: JsonRecord, other: JsonRecord): JsonRecord {
  const shared = Object.keys(one).filter(name => Object.hasOwn(other, name))
  const both = shared.map((name): [string, Json] => [
    name,
    { allOf: [one[name] ?? true, other[name] ?? true] },
  ])
  return { ...one, ...other, ...Object.fromEntries(both) }
}

/** The types both allow; every integer is a number. */
function mergeTypes(one: Json[], other: Json[]): Json[] {
  const allows = (types: Json[], type: Json): boolean =>
    types.includes(type) || (type === 'integer' && types.includes('number'))
  return [
    ...one.filter(type => allows(other, type)),
    ...other.filter(type => !one.includes(type) && allows(one, type)),
  ]
}

function list(value: Json): Json[] {
  return Array.isArray(value) ? value : [value]
}

function isSame(one: Json, other: Json): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
