import type { Candidate } from '../../domain/byok/candidates.ts'
import type { AttemptRecord } from '../../domain/logs/request-log.ts'
import type { ChatModel } from '../../domain/models/model-cache.ts'
import { Problem } from '../../schema/errors.ts'
import type { Attempt, AttemptEnd } from '../../upstreams/call/call-chat.ts'
import { ownTarget, platformTarget } from '../../upstreams/targets.ts'
import { UpstreamFailure } from '../../upstreams/upstream-failure.ts'
import type { Edge } from '../edge.ts'
import type { ChatRun } from './chat-run.ts'

/** An attempt, and what it stands for. */
export interface ChatAttempt extends Attempt {
  model: ChatModel
  /** The customer's own credential; absent is the platform's. */
  candidate: Candidate | undefined
}

/**
 * The ways to have a run's request answered, in their order: for the model asked for, then for each of its
 * fallbacks, the account's own credentials, then the platform's. Where a credential of the account's says
 * `always_use`, the platform's is not fallen back to, nor is another model (domain/byok/README.md). Throws
 * `byok_disabled` where such a one is disabled and no other enabled, and what else the candidates' look-up throws.
 */
export async function listAttempts(edge: Edge, { admission }: ChatRun): Promise<ChatAttempt[]> {
  const { config, inference } = edge
  const { key } = admission.allowed
  const attempts: ChatAttempt[] = []
  for (const model of admission.models) {
    const { entry } = model
    const route = { entry, vendor: inference.models.vendor(entry.provider) }
    const found = inference.byok.find(key.accountId, key.byokRevision, entry.provider)
    // What stands against a fallback's vendor is no reason not to ask the model that was asked for.
    const candidates = await (attempts.length > 0 ? found.catch(noneMay) : found)
    if (!candidates) return attempts
    for (const candidate of candidates) {
      const target = ownTarget(config, route, candidate)
      if (target) attempts.push({ entry, target, model, candidate })
    }
    if (candidates.some(candidate => candidate.alwaysUse)) return attempts
    const target = platformTarget(config, route)
    if (target) attempts.push({ entry, target, model, candidate: undefined })
  }
  return attempts
}

function noneMay(error: unknown): undefined {
  if (!(error instanceof Problem) || error.errorName === 'unavailable') throw error
}

/** Of more attempts the last stands in the place of those between: a row of the log is small. */
const mostAttempts = 20
const mostErrorCharacters = 300

/**
 * Adds how an attempt ended to what the log will tell of its request. One that succeeds at once is told by the row
 * itself and leaves nothing here. Secrets of the credential were blanked in the failure (`upstream-failure.ts`).
 */
export function recordAttempt(
  attempts: object[],
  { target, model }: ChatAttempt,
  { durationMs, failure }: AttemptEnd,
): void {
  if (!failure && attempts.length === 0) return
  const isVendors = failure instanceof UpstreamFailure
  const record: AttemptRecord = {
    credentialId: target.byokId ?? null,
    model: model.entry.model,
    durationMs: Math.round(durationMs),
    status: failure ? ((isVendors ? failure.details.status : failure.status) ?? null) : 200,
    error: failure ? explain(failure).slice(0, mostErrorCharacters).toWellFormed() : null,
  }
  attempts[Math.min(attempts.length, mostAttempts - 1)] = record
}

/** The vendor's words are the customer's where its own credential or its request is at fault; else they are ours. */
function explain(failure: UpstreamFailure | Problem): string {
  if (!(failure instanceof UpstreamFailure)) return failure.message
  const { kind, details } = failure
  const words = details.byokId || kind === 'request' || kind === 'circuit_open' ? (details.message ?? '') : ''
  return `${kind}: ${words}`.replaceAll(/[\p{Cc}\p{Zs}\p{Cs}]+/gu, ' ').replace(/:? *$/, '')
}
