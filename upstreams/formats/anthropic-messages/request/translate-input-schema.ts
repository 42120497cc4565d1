import { Problem } from '../../../../schema/errors.ts'
import { completeSchema } from '../../shared/request/complete-schema.ts'
import type { Tool } from '../wire.ts'

/**
 * The schema of a tool's arguments. Throws `invalid_request`, naming `at`, for what is no object, and for choices at
 * the top, which the vendor refuses.
 */
export function translateInputSchema(
  parameters: Record<string, unknown> | null | undefined,
  at: string,
): Tool['input_schema'] {
  const schema = completeSchema(parameters, at)
  const choice = ['oneOf', 'anyOf', 'allOf'].find(word => word in schema)
  if (!choice) return schema
  const message = `The model does not take ${choice} at the top of a schema.`
  throw new Problem('invalid_request', { param: at, message })
}
