import type { Caller, SessionCaller } from '../../domain/callers/caller.ts'
import { Problem } from '../../schema/errors.ts'
import type { Call } from './call.ts'

/** Anybody with a credential of an account. Throws `unauthenticated`, or why the credential was refused. */
export function requireCaller(call: Call): Caller {
  if (call.caller) return call.caller
  throw call.refusal ?? new Problem('unauthenticated')
}

/** A person's session (docs/behaviour.md, Management API). Throws `jwt_required` for any key. */
export function requireSession(call: Call): SessionCaller {
  const caller = requireCaller(call)
  if (caller.kind !== 'session') throw new Problem('jwt_required')
  return caller
}
