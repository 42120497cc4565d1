import type { Json } from '../../../schema/json.ts'
import { checkHeaderText } from '../checks/check-settings.ts'
import { refuse } from '../checks/refuse.ts'

/**
 * A text of the configuration; undefined where there is none. Throws `validation_failed` where it is no text, is
 * empty, does not have its shape, or cannot stand in a header.
 */
export function readText(
  value: Json | undefined,
  name: string,
  rule: { shape?: RegExp; isHeader?: boolean; maxLength?: number } = {},
): string | undefined {
  if (value === undefined || value === null) return undefined
  const param = `configJson.${name}`
  if (typeof value !== 'string') return refuse(param, 'must be text')
  if (value === '') refuse(param, 'must not be empty')
  if (value.length > (rule.maxLength ?? Number.POSITIVE_INFINITY))
    refuse(param, `must have at most ${rule.maxLength} characters`)
  if (rule.isHeader) checkHeaderText(value, param)
  if (rule.shape && !rule.shape.test(value)) refuse(param, 'does not have the form of one')
  return value
}

/** Cloud regions become part of a host's name. */
export const regionShape = /^[a-z][a-z0-9-]{0,39}$/
