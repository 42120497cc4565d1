import type { AttemptRecord } from '../../domain/logs/request-log.ts'
import type { Problem } from '../../schema/errors.ts'
import type { AttemptEnd } from '../../upstreams/try-in-order.ts'
import { UpstreamFailure } from '../../upstreams/upstream-failure.ts'
import type { ModelAttempt } from './list-attempts.ts'

/**
 * Maximum number of attempts in the log of a request, which keeps its row small. Further attempts replace the last one.
 */
const maxAttempts = 20
const maxErrorCharacters = 300

/**
 * Adds the end of an attempt to the log of its request. A first attempt that succeeds is added only if its credential
 * or its vendor was chosen among several: otherwise the row itself describes it. `reason` states why its vendor came
 * first. The credential's secrets have already been removed from the failure (`upstream-failure.ts`).
 */
export function recordAttempt(
  attempts: object[],
  { target, entry }: Pick<ModelAttempt, 'target' | 'entry'>,
  { durationMs, failure, reason }: AttemptEnd & { reason?: string | undefined },
): void {
  const isFirst = attempts.length === 0
  if (!failure && isFirst && !target.lease && !reason) return
  const isVendors = failure instanceof UpstreamFailure
  const record: AttemptRecord = {
    credentialId: target.byokId ?? null,
    credentialName: target.credentialName ?? null,
    vendor: target.vendor,
    model: entry.model,
    durationMs: Math.round(durationMs),
    status: failure ? ((isVendors ? failure.details.status : failure.status) ?? null) : 200,
    reason: isFirst && reason ? reason.slice(0, maxErrorCharacters) : null,
    error: failure ? explain(failure).slice(0, maxErrorCharacters).toWellFormed() : null,
  }
  attempts[Math.min(attempts.length, maxAttempts - 1)] = record
}

/** The text of a failure. The vendor's message is included if the account's own credential or its request caused it. */
function explain(failure: UpstreamFailure | Problem): string {
  if (!(failure instanceof UpstreamFailure)) return failure.message
  const { kind, details } = failure
  const words = details.byokId || kind === 'request' || kind === 'circuit_open' ? (details.message ?? '') : ''
  return `${kind}: ${words}`.replaceAll(/[\p{Cc}\p{Zs}\p{Cs}]+/gu, ' ').replace(/:? *$/, '')
}
