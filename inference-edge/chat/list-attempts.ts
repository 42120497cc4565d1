import type { Candidate } from '../../domain/byok/candidates.ts'
import type { ChatModel } from '../../domain/models/model-cache.ts'
import { Problem } from '../../schema/errors.ts'
import type { Attempt } from '../../upstreams/call/call-chat.ts'
import { ownTarget, platformTarget } from '../../upstreams/targets.ts'
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
