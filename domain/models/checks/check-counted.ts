import type { ParameterSchema } from '../../../schema/catalog/entry.ts'
import { countedBy } from '../../pricing/measure.ts'
import type { Unit } from '../../pricing/parse-price.ts'

/** A price's unit counts a parameter that every request has, as a whole number. `report` is told where not. */
export function checkCounted(unit: Unit, parameters: ParameterSchema, report: (fault: string) => void): void {
  if (unit === 'token') report('media is not priced by tokens')
  const name = unit === 'token' ? undefined : countedBy[unit]
  if (name === undefined) return
  const field = parameters.properties[name]
  const required = parameters.required.includes(name)
  if (!field) {
    if (unit !== 'image') report(`counts ${name}, which the model does not have`)
  } else if (unit === 'character') {
    if (!required) report(`counts ${name}, which must be required`)
  } else if (unit !== 'input image') {
    if (!isWhole(field)) report(`counts ${name}, which must be a whole number from zero up`)
    if (!required && field.default === undefined) report(`counts ${name}, which needs a default`)
  }
}

function isWhole({ type, minimum, enum: listed }: Record<string, unknown>): boolean {
  if (Array.isArray(listed)) return listed.every(value => /^\d+$/.test(String(value)))
  return type === 'integer' && typeof minimum === 'number' && minimum >= 0
}
