import type { OwnSession } from '../../domain/second-factors/confirm-identity.ts'
import { Problem } from '../../schema/errors.ts'
import { type Call, requireSession } from '../runtime/call.ts'

/**
 * Returns the user and the session of the caller. Throws `jwt_required` for an API key, and `forbidden` for a session of
 * a foreign issuer, which has its own second factors.
 */
export function requireOwnSession(call: Call): OwnSession {
  const { userId, familyId } = requireSession(call)
  if (familyId === undefined)
    throw new Problem('forbidden', { message: 'Your identity provider manages your sign-in.' })
  return { userId, familyId }
}
