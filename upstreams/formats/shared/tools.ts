import { isRecord } from '../../../platform/is-record.ts'
import { Problem } from '../../../schema/errors.ts'

/** A schema of an object. */
interface ObjectSchema extends Record<string, unknown> {
  type: 'object'
}

/**
 * The schema of a tool's arguments: an object at the top, though clients leave out what goes without saying,
 * some of them the whole schema. Throws `invalid_request`, naming `at`, for anything but an object.
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

/** The names of tools on offer, among which a `tool_choice` is looked up. */
export function offeredNames(tools: readonly { name?: string | undefined }[]): ReadonlySet<unknown> {
  return new Set(tools.map(({ name }) => name))
}

/**
 * The names in a list of `allowed_tools`. Throws `invalid_request` for none, and for one that is not on
 * offer.
 */
export function readAllowed(list: unknown, offered: ReadonlySet<unknown>): Set<string> {
  if (!Array.isArray(list) || list.length === 0) throw refuseChoice('allowed_tools must name tools.')
  return new Set(list.map(entry => requireOffered(isRecord(entry) ? entry.function : undefined, offered)))
}

/** The name of the function that must be called. Throws `invalid_request` for one that is not on offer. */
export function requireOffered(details: unknown, offered: ReadonlySet<unknown>): string {
  const name = isRecord(details) ? details.name : undefined
  if (typeof name === 'string' && offered.has(name)) return name
  throw refuseChoice(`tool_choice names a tool that is not among tools: ${String(name)}.`)
}

/** A `tool_choice` that is none: the message says what it must be. */
export function refuseChoice(
  message = 'tool_choice must be auto, none, required, a function, or allowed_tools.',
): Problem {
  return new Problem('invalid_request', { param: 'tool_choice', message })
}
