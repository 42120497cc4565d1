import type { GraphQLFieldResolver } from 'graphql'
import { isPermitted, permittedTo } from '../../domain/callers/permissions.ts'
import { Problem } from '../../schema/errors.ts'
import { type Call, requireCaller } from './call.ts'
import type { SubgraphContext } from './services.ts'

type FieldResolver = GraphQLFieldResolver<unknown, SubgraphContext>

const roots: ReadonlySet<string> = new Set(['Query', 'Mutation', 'Subscription'])

/**
 * Adds a check of the table of permissions (`domain/callers/permissions.ts`) to the resolver of a field. Every root
 * field is checked, and every other field that the table lists.
 */
export function guardField(
  type: string,
  field: string,
  resolve: FieldResolver | undefined,
): FieldResolver | undefined {
  const operation = `${type}.${field}`
  if (!resolve || (!roots.has(type) && !permittedTo(operation))) return resolve
  return (source, args, context, info) => {
    requirePermission(context, operation)
    return resolve(source, args, context, info)
  }
}

/**
 * Checks whether the caller is permitted to do an operation. Throws `unauthenticated` or the reason for refusing the
 * credential if there is no caller, `jwt_required` if an API key calls an operation for sessions only, and otherwise
 * `forbidden`.
 */
export function requirePermission(call: Call, operation: string): void {
  if (isPermitted(operation, call)) return
  requireCaller(call)
  const kinds = permittedTo(operation) ?? []
  throw new Problem(kinds.length === 1 && kinds[0] === 'session' ? 'jwt_required' : 'forbidden')
}
