import { platformId } from '../../domain/audit/record-action.ts'
import type { Caller, SessionCaller } from '../../domain/callers/caller.ts'
import type { Operator } from '../../domain/callers/operators.ts'
import { isUuid } from '../../platform/checks.ts'
import { Problem } from '../../schema/errors.ts'

/** What the gateway knows of a request. It is found out once, and passed to every subgraph. */
export interface Call {
  requestId: string
  /** The client's address, behind trusted proxies. */
  address: string
  /** Undefined where the request carries no credential, or one that was refused. */
  caller?: Caller | undefined
  /** An operator: has no account, and is no caller of one. */
  operator?: Operator | undefined
  /** Why the credential was refused. Fields that need a caller throw it; sign-up and log-in need none. */
  refusal?: Problem | undefined
  /** Of a subscription that goes on after a connection broke off: the revision that was told last. */
  resumeAfter?: bigint | undefined
}

/**
 * The caller, with any credential of an account. Throws `unauthenticated`, or why the credential was refused.
 */
export function requireCaller(call: Call): Caller {
  if (call.caller) return call.caller
  if (call.operator) throw new Problem('forbidden')
  throw call.refusal ?? new Problem('unauthenticated')
}

/**
 * The caller, with a session or a provisioning key. Throws `forbidden` for an ordinary key (docs/behaviour.md,
 * Management API).
 */
export function requireManager(call: Call): Caller {
  const caller = requireCaller(call)
  if (caller.kind === 'key') throw new Problem('forbidden')
  return caller
}

/** The caller, with a session. Throws `jwt_required` for an API key (docs/behaviour.md, Management API). */
export function requireSession(call: Call): SessionCaller {
  const caller = requireCaller(call)
  if (caller.kind !== 'session') throw new Problem('jwt_required')
  return caller
}

/** The operator. Throws `forbidden` for everybody else. */
export function requireOperator(call: Call): Operator {
  if (call.operator) return call.operator
  requireCaller(call)
  throw new Problem('forbidden')
}

/** Whose data a list reads. */
export interface Reader {
  accountId: string
  /** The account whose turns the query takes. Queries of operators do not take turns of the account that they read. */
  turnsOf: string
  /** Undefined for an operator. */
  caller: Caller | undefined
}

/**
 * Returns whose data a list reads: the caller's account, or the account that an operator names. Throws
 * `validation_failed` if an operator names none, and `forbidden` if another caller names an account other than its own.
 */
export function requireReader(call: Call, accountId: string | null | undefined): Reader {
  if (call.operator) {
    if (accountId && isUuid(accountId)) return { accountId, turnsOf: platformId, caller: undefined }
    const message = 'accountId must be the ID of the account that the operator reads.'
    throw new Problem('validation_failed', { param: 'accountId', message })
  }
  const caller = requireCaller(call)
  if (accountId && accountId !== caller.accountId) throw new Problem('forbidden')
  return { accountId: caller.accountId, turnsOf: caller.accountId, caller }
}
