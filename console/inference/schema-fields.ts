/** A field of a form that sets one parameter of a model. */
export interface SchemaField {
  name: string
  kind: 'text' | 'long' | 'number' | 'choice' | 'flag' | 'files' | 'json'
  hint: string | undefined
  isRequired: boolean
  /** The value if the field is left empty, as text. */
  initial: string | undefined
  options: readonly string[]
  min: number | undefined
  max: number | undefined
  /** `1` for whole numbers, else `any`. */
  step: string | undefined
  /** Maximum number of characters of a text, or of items of a list. */
  maxLength: number | undefined
  isList: boolean
}

/** The parts of JSON Schema that models use. Others are checked by the service only. */
interface Property {
  type?: string | string[]
  enum?: unknown[]
  default?: unknown
  description?: string
  minimum?: number
  maximum?: number
  maxLength?: number
  maxItems?: number
  format?: string
  items?: Property
}

/** Longest text that a field of one line is offered for, in characters. */
const oneLine = 300

/** Formats of parameters that refer to files. */
const fileFormats: readonly (string | undefined)[] = ['image-source', 'https-url']

/** Returns the fields of a model's `parameters` without those in `omit`, the required ones first. An unknown schema has none. */
export function fieldsOf(schema: unknown, omit: readonly string[] = []): SchemaField[] {
  if (!isObject(schema) || !isObject(schema.properties)) return []
  const required = Array.isArray(schema.required) ? schema.required : []
  const fields = Object.entries(schema.properties).flatMap(([name, property]) =>
    omit.includes(name) || !isObject(property) ? [] : [fieldOf(name, property, required.includes(name))],
  )
  return fields.sort((one, other) => Number(other.isRequired) - Number(one.isRequired))
}

function fieldOf(name: string, property: Property, isRequired: boolean): SchemaField {
  const types = [property.type ?? []].flat()
  const type = types.includes('object') ? 'object' : types[0]
  const isFiles = fileFormats.includes(property.items?.format ?? property.format)
  return {
    name,
    kind: isFiles ? 'files' : kindOf(type, property),
    hint: property.description,
    isRequired,
    initial: property.default === undefined ? undefined : String(property.default),
    options: (property.enum ?? []).map(String),
    min: property.minimum,
    max: property.maximum,
    step: type === 'integer' ? '1' : type === 'number' ? 'any' : undefined,
    maxLength: property.maxLength ?? property.maxItems,
    isList: type === 'array',
  }
}

function kindOf(type: string | undefined, { enum: options, maxLength = 0 }: Property): SchemaField['kind'] {
  if (options) return 'choice'
  if (type === 'boolean') return 'flag'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'string') return maxLength > oneLine ? 'long' : 'text'
  return 'json'
}

/** The values of a form by parameter, as text. */
export type Entered = Readonly<Record<string, string | undefined>>

/**
 * Returns the parameters that a form sets. Empty fields are left out, so that the service's default applies. Throws an
 * error that names the field whose JSON is invalid.
 */
export function parametersOf(fields: readonly SchemaField[], entered: Entered): Record<string, unknown> {
  const set = fields.flatMap(field => {
    const text = entered[field.name]?.trim() ?? ''
    return text === '' ? [] : [[field.name, valueIn(field, text)] as const]
  })
  return Object.fromEntries(set)
}

function valueIn({ name, kind, step, isList }: SchemaField, text: string): unknown {
  if (kind === 'flag') return text === 'true'
  if (kind === 'number') return Number(text)
  if (kind === 'choice' && step !== undefined) return Number(text)
  if (kind === 'files') return isList ? text.split(/\s+/) : text
  return kind === 'json' ? jsonOf(name, text) : text
}

/** An object or list as JSON. A word that is no JSON is a text: some parameters are either. */
function jsonOf(name: string, text: string): unknown {
  if (!/^[[{]/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    throw new InvalidJson(name)
  }
}

/** The JSON of a field that cannot be parsed. */
export class InvalidJson extends Error {
  readonly param: string

  constructor(param: string) {
    super(`${param} is not valid JSON`)
    this.param = param
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
