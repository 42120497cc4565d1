import type { Candidate } from '../../domain/byok/book/candidate.ts'
import type { ChatModel } from '../../domain/models/model-book.ts'
import type { Attempt } from '../../upstreams/call-chat.ts'
import { ownTarget, platformTarget } from '../../upstreams/targets.ts'
import type { Edge } from '../edge.ts'
import type { Act } from './act.ts'

/** An attempt, and what it stands for. */
export interface ChatAttempt extends Attempt {
  model: ChatModel
  /** The customer's own credential; absent is the platform's. */
  candidate: Candidate | undefined
}

/**
 * The ways to have an act's request answered, in their order: for the model asked for, then for each of its
 * fallbacks, the account's own credentials, then the platform's. Where a credential of the account's says
 * `always_use`, the platform's is not fallen back to, nor is another model (contract: BYOK, runtime behaviour).
 */
export async function listAttempts(edge: Edge, { admission }: Act): Promise<ChatAttempt[]> {
  const { config, inference } = edge
  const { key } = admission.allowed
  const attempts: ChatAttempt[] = []
  for (const model of admission.models) {
    const { entry } = model
    const route = { entry, vendor: inference.models.vendor(entry.provider) }
    const candidates = await inference.byok.find(key.accountId, key.byokRevision, entry.provider)
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
