import { platformId } from '../../domain/audit/record-action.ts'
import type { Caller, SessionCaller } from '../../domain/callers/caller.ts'
import type { Operator } from '../../domain/callers/operators.ts'
import { isUuid } from '../../platform/checks.ts'
import { Problem } from '../../schema/errors.ts'
import { refuseParam } from '../../schema/refuse-param.ts'

/** The caller and other facts about a request. The gateway determines them once and passes them to every subgraph. */
export interface Call {
  requestId: string
  /** The client's IP address, as reported by trusted proxies. */
  address: string
  /** `undefined` if the request has no credential, or its credential was refused. */
  caller?: Caller | undefined
  /** The operator, if the request has an operator key. Operators have no account. */
  operator?: Operator | undefined
  /** The reason for refusing the credential. Fields that need a caller throw it. Sign-up and log-in need no caller. */
  refusal?: Problem | undefined
  /** For a subscription that is resumed after its connection broke: the last revision that was sent. */
  resumeAfter?: bigint | undefined
  /** The trace of the edge that the operation continues, if operations are traced. */
  traceparent?: string | undefined
}

/**
 * Returns the caller, with any credential of an account. Throws `unauthenticated`, or the reason for refusing the
 * credential.
 */
export function requireCaller(call: Call): Caller {
  if (call.caller) return call.caller
  if (call.operator) throw new Problem('forbidden')
  throw call.refusal ?? new Problem('unauthenticated')
}

/**
 * Returns the caller, with a session or a provisioning key. Throws `forbidden` for an ordinary key (docs/behaviour.md,
 * Management API).
 */
export function requireManager(call: Call): Caller {
  const caller = requireCaller(call)
  if (caller.kind === 'key') throw new Problem('forbidden')
  return caller
}

/**
 * Returns the caller, with a session. Throws `jwt_required` for an API key (docs/behaviour.md, Management API), and
 * `forbidden` for an operator's view.
 */
export function requireSession(call: Call): SessionCaller {
  const caller = requireCaller(call)
  if (caller.kind === 'view') throw viewForbidden()
  if (caller.kind !== 'session') throw new Problem('jwt_required')
  return caller
}

/** Returns the error for an operation that an operator's view of an account cannot do. */
export function viewForbidden(): Problem {
  return new Problem('forbidden', {
    message:
      'A view of an account reads what its members see. It can neither change anything nor read secrets.',
  })
}

/** Returns the operator who calls, with an operator key or through a view of an account; undefined for other callers. */
export function operatorOf({ caller, operator }: Pick<Call, 'caller' | 'operator'>): Operator | undefined {
  return caller?.kind === 'view' ? caller.operator : operator
}

/** Returns the operator. Throws `forbidden` for other callers. */
export function requireOperator(call: Call): Operator {
  if (call.operator) return call.operator
  requireCaller(call)
  throw new Problem('forbidden')
}

/** The account whose data a list reads, and the reader. */
export interface Reader {
  accountId: string
  /**
   * The account on whose query quota the query runs. Operators' queries do not use the quota of the account that they
   * read.
   */
  quotaAccountId: string
  /** Undefined for an operator. */
  caller: Caller | undefined
}

/**
 * Returns the account to read: the caller's account, or the account that an operator names. Throws `validation_failed`
 * if an operator names none, and `forbidden` if another caller names a different account.
 */
export function requireReader(call: Call, accountId: string | null | undefined): Reader {
  if (call.operator) {
    if (accountId && isUuid(accountId)) return { accountId, quotaAccountId: platformId, caller: undefined }
    return refuseParam('accountId', 'must be the ID of the account that the operator reads')
  }
  const caller = requireCaller(call)
  if (accountId && accountId !== caller.accountId) throw new Problem('forbidden')
  return { accountId: caller.accountId, quotaAccountId: caller.accountId, caller }
}
