import { isRecord } from '../../../platform/checks.ts'
import type { Problem } from '../../../schema/errors.ts'
import { invalid } from './refusals.ts'

/** A schema of an object. */
interface ObjectSchema extends Record<string, unknown> {
  type: 'object'
}

/**
 * Returns the complete schema of a tool's arguments: clients can leave out `type`, `properties` or the whole schema.
 * Throws `invalid_request` with the parameter `at` if it is not the schema of an object.
 */
export function completeSchema(
  parameters: Record<string, unknown> | null | undefined,
  at: string,
): ObjectSchema {
  const { $schema: _, type = 'object', ...rest } = parameters ?? {}
  if (![type].flat().includes('object')) {
    throw invalid(at, 'A schema here must be of type object.')
  }
  return 'properties' in rest ? { type: 'object', ...rest } : { type: 'object', properties: {}, ...rest }
}

/** Returns the names of the request's tools, from which `tool_choice` chooses. */
export function offeredNames(tools: readonly { name?: string | undefined }[]): ReadonlySet<unknown> {
  return new Set(tools.map(({ name }) => name))
}

/**
 * Returns the names in a list of `allowed_tools`. Throws `invalid_request` for an empty list, and for a name that is
 * not among the request's tools.
 */
export function readAllowed(list: unknown, offered: ReadonlySet<unknown>): Set<string> {
  if (!Array.isArray(list) || list.length === 0) throw refuseChoice('allowed_tools must name tools.')
  return new Set(list.map(entry => requireOffered(isRecord(entry) ? entry.function : undefined, offered)))
}

/**
 * Returns the name of the function that `tool_choice` forces. Throws `invalid_request` if it is not among the request's
 * tools.
 */
export function requireOffered(details: unknown, offered: ReadonlySet<unknown>): string {
  const name = isRecord(details) ? details.name : undefined
  if (typeof name === 'string' && offered.has(name)) return name
  throw refuseChoice(`tool_choice names a tool that is not among tools: ${String(name)}.`)
}

/** Returns the refusal of an invalid `tool_choice`. */
export function refuseChoice(
  message = 'tool_choice must be auto, none, required, a function, or allowed_tools.',
): Problem {
  return invalid('tool_choice', message)
}
