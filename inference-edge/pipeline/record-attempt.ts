import type { AttemptRecord } from '../../domain/logs/request-log.ts'
import type { Problem } from '../../schema/errors.ts'
import type { AttemptEnd } from '../../upstreams/try-in-order.ts'
import { UpstreamFailure } from '../../upstreams/upstream-failure.ts'
import type { Edge } from '../edge.ts'
import type { OwnedAttempt } from './list-attempts.ts'

/** Of more attempts the last stands in the place of those between: a row of the log is small. */
const maxAttempts = 20
const maxErrorCharacters = 300

/**
 * Adds how an attempt ended to what the log will tell of its request. One that succeeds at once is told by the row
 * itself and leaves nothing here. Secrets of the credential were blanked in the failure (`upstream-failure.ts`).
 */
export function recordAttempt(
  attempts: object[],
  { target, entry }: Pick<OwnedAttempt, 'target' | 'entry'>,
  { durationMs, failure }: AttemptEnd,
): void {
  if (!failure && attempts.length === 0) return
  const isVendors = failure instanceof UpstreamFailure
  const record: AttemptRecord = {
    credentialId: target.byokId ?? null,
    model: entry.model,
    durationMs: Math.round(durationMs),
    status: failure ? ((isVendors ? failure.details.status : failure.status) ?? null) : 200,
    error: failure ? explain(failure).slice(0, maxErrorCharacters).toWellFormed() : null,
  }
  attempts[Math.min(attempts.length, maxAttempts - 1)] = record
}

/** The vendor's words are the customer's where its own credential or its request is at fault; else they are ours. */
function explain(failure: UpstreamFailure | Problem): string {
  if (!(failure instanceof UpstreamFailure)) return failure.message
  const { kind, details } = failure
  const words = details.byokId || kind === 'request' || kind === 'circuit_open' ? (details.message ?? '') : ''
  return `${kind}: ${words}`.replaceAll(/[\p{Cc}\p{Zs}\p{Cs}]+/gu, ' ').replace(/:? *$/, '')
}

/** Notes what became of a credential of the customer's own: told in `last_used_at` and `last_error`. */
export function recordOutcome(
  edge: Edge,
  { candidate }: Pick<OwnedAttempt, 'candidate'>,
  failure: UpstreamFailure | undefined,
): void {
  if (!candidate || failure?.kind === 'circuit_open') return
  const told = failure && { status: failure.details.status, message: failure.details.message ?? failure.kind }
  void edge.inference.byok.recordOutcome(candidate, told)
}
