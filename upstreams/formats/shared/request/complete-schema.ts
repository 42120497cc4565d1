import { Problem } from '../../../../schema/errors.ts'

/** A schema of an object. */
export interface ObjectSchema extends Record<string, unknown> {
  type: 'object'
}

/**
 * The schema of a tool's arguments: an object at the top, though clients leave out what goes without saying, some of
 * them the whole schema. Throws `invalid_request`, naming `at`, for anything but an object.
 */
export function completeSchema(
  parameters: Record<string, unknown> | null | undefined,
  at: string,
): ObjectSchema {
  const { $schema: _, type = 'object', ...rest } = parameters ?? {}
  if (![type].flat().includes('object')) {
    throw new Problem('invalid_request', { param: at, message: 'A schema here must be of type object.' })
  }
  return 'properties' in rest ? { type: 'object', ...rest } : { type: 'object', properties: {}, ...rest }
}
