import type { Ajv } from 'ajv'
import type { ParameterSchema } from '../../../schema/catalog/entry.ts'
import type { Report } from '../reading/faults.ts'

/** A model's schema compiles under strict JSON Schema, requires only what it declares, and keeps its own rules in its defaults. */
export function checkParameters(
  { validator }: { validator: Ajv },
  schema: ParameterSchema,
  report: Report,
): void {
  try {
    validator.compile(schema)
  } catch (error) {
    report(['parameters'], error instanceof Error ? error.message : String(error))
    return
  }
  for (const [name, { default: value, ...rule }] of Object.entries(schema.properties)) {
    if (value !== undefined && !validator.validate(rule, value)) {
      report(
        ['parameters', 'properties', name, 'default'],
        `breaks its own rule: it ${validator.errors?.[0]?.message}`,
      )
    }
  }
  schema.required.forEach((name, index) => {
    if (!(name in schema.properties)) report(['parameters', 'required', index], `${name} is not a property`)
  })
}
