import type { GraphQLFieldResolver } from 'graphql'
import { isPermitted, permittedTo } from '../../domain/callers/permissions.ts'
import { Problem } from '../../schema/errors.ts'
import { type Call, requireCaller } from './call.ts'
import type { SubgraphContext } from './services.ts'

type FieldResolver = GraphQLFieldResolver<unknown, SubgraphContext>

const roots: ReadonlySet<string> = new Set(['Query', 'Mutation', 'Subscription'])

/**
 * Puts the table of permissions (`domain/callers/permissions.ts`) before the resolver of a field: of every root
 * field, and of every other that the table has.
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
 * Throws where the caller may not do an operation: `unauthenticated`, or why the credential was refused, without
 * a caller; `jwt_required` for a key where only a session may; `forbidden` for any other.
 */
export function requirePermission(call: Call, operation: string): void {
  if (isPermitted(operation, call)) return
  requireCaller(call)
  const kinds = permittedTo(operation) ?? []
  throw new Problem(kinds.length === 1 && kinds[0] === 'session' ? 'jwt_required' : 'forbidden')
}
