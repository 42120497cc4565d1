/** A parameter of a model, as the JSON Schema of the model's parameters describes it. */
export interface Parameter {
  name: string
  type: string
  description: string | undefined
  isRequired: boolean
  values: readonly (string | number | boolean)[] | undefined
  defaultValue: unknown
  minimum: number | undefined
  maximum: number | undefined
  maxItems: number | undefined
}

/** Reads the parameters from the JSON Schema of an object. Other values have no parameters. */
export function parametersOf(schema: unknown): Parameter[] {
  if (!isRecord(schema) || !isRecord(schema.properties)) return []
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(schema.properties).map(([name, property]) => {
    const of = isRecord(property) ? property : {}
    return {
      name,
      type: [of.type].flat().filter(isText).join(', '),
      description: isText(of.description) ? of.description : undefined,
      isRequired: required.includes(name),
      values: Array.isArray(of.enum) ? of.enum.filter(isScalar) : undefined,
      defaultValue: of.default,
      minimum: numberIn(of.minimum),
      maximum: numberIn(of.maximum),
      maxItems: numberIn(of.maxItems),
    }
  })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
