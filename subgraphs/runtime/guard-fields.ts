import type { GraphQLFieldResolver } from 'graphql'
import { needsConfirmation, needsSecondFactor } from '../../domain/callers/confirmations.ts'
import { isPermitted, permittedTo } from '../../domain/callers/permissions.ts'
import { usualKeyScopes } from '../../domain/callers/scopes.ts'
import { keyScopes } from '../../schema/entities/keys.ts'
import { Problem } from '../../schema/errors.ts'
import { type Call, requireCaller, viewForbidden } from './call.ts'
import type { SubgraphContext } from './services.ts'

type FieldResolver = GraphQLFieldResolver<unknown, SubgraphContext>

const roots: ReadonlySet<string> = new Set(['Query', 'Mutation', 'Subscription'])

/**
 * Adds a check of the table of permissions (`domain/callers/permissions.ts`) to the resolver of a field. Every root
 * field is checked, and every other field that the table lists. Also checks that the session's user has confirmed their
 * identity recently, and has a second factor, if the operation or the account requires it.
 */
export function guardField(
  type: string,
  field: string,
  resolve: FieldResolver | undefined,
): FieldResolver | undefined {
  const operation = `${type}.${field}`
  const isRoot = roots.has(type)
  if (!resolve || (!isRoot && !permittedTo(operation))) return resolve
  return (source, args, context, info) => {
    requirePermission(context, operation)
    if (!isPermitted(operation, {}) && needsSecondFactor(operation, context.caller))
      throw new Problem('second_factor_required')
    if (needsConfirmation(operation, context)) {
      if (isRoot) throw new Problem('confirmation_required')
      return null
    }
    return resolve(source, args, context, info)
  }
}

/**
 * Checks whether the caller is permitted to do an operation. Throws `unauthenticated` or the reason for refusing the
 * credential if there is no caller, `jwt_required` if an API key calls an operation that API keys do not do by default,
 * and otherwise `forbidden`.
 */
export function requirePermission(call: Call, operation: string): void {
  if (isPermitted(operation, call)) return
  const caller = requireCaller(call)
  if (caller.kind === 'session')
    throw new Problem('forbidden', { message: `The role ${caller.role} does not permit this operation.` })
  if (caller.kind === 'view') throw viewForbidden()
  const scopes = permittedTo(operation) ?? []
  if (!scopes.some(scope => scope === 'operator' || usualKeyScopes.has(scope)))
    throw new Problem('jwt_required')
  const needed = keyScopes.filter(scope => scopes.some(other => other === scope)).join(' or ')
  if (caller.kind !== 'provisioning' || needed === '') throw new Problem('forbidden')
  throw new Problem('forbidden', { message: `The key needs the scope ${needed} for this operation.` })
}
