import { trySpendHere, usedUp } from '../../domain/allowances/spend.ts'
import type { Candidate } from '../../domain/byok/candidates.ts'
import type { Allowed } from '../../domain/inference/check-key-and-rate.ts'
import { recheckKey } from '../../domain/inference/check-key-and-rate.ts'
import type { CachedKey } from '../../domain/keys/key-cache.ts'
import type { CatalogueEntry } from '../../schema/catalog/entry.ts'
import { Problem } from '../../schema/errors.ts'
import { ownTarget, platformTarget, type Target } from '../../upstreams/targets.ts'
import type { Edge } from '../edge.ts'

/** One way to have a request answered: a model, called with one credential, and what that stands for. */
export interface OwnedAttempt<Model extends { entry: CatalogueEntry } = { entry: CatalogueEntry }> {
  entry: Model['entry']
  target: Target
  model: Model
  /** The customer's own credential; absent is the platform's. */
  candidate: Candidate | undefined
}

/**
 * The ways to have a request answered, in their order: for the model asked for, which comes first, then for each of its
 * fallbacks, the account's own credentials, then the platform's. Where a credential of the account's says
 * `always_use`, the platform's is not fallen back to, nor is another model (domain/byok/README.md). Throws
 * `model_unavailable` if no credential reaches the model asked for, `byok_disabled` where such a one is disabled and no
 * other enabled, and what else the candidates' look-up throws.
 */
export function listAttempts<Model extends { entry: CatalogueEntry }>(
  edge: Edge,
  { key, models }: { key: CachedKey; models: readonly Model[] },
): OwnedAttempt<Model>[] | Promise<OwnedAttempt<Model>[]> {
  if (key.byokRevision > 0n) return listWithOwn(edge, { key, models })
  const attempts: OwnedAttempt<Model>[] = []
  for (const model of models) addPlatform(attempts, edge, model)
  requireReached(attempts, models)
  return attempts
}

/** Throws `model_unavailable` if no credential reaches the model asked for. Its fallbacks then do not answer either. */
function requireReached(
  attempts: readonly OwnedAttempt[],
  [first]: readonly { entry: CatalogueEntry }[],
): void {
  if (attempts[0]?.model === first) return
  throw new Problem('model_unavailable', {
    param: 'model',
    internal: `no credential for ${first?.entry.provider}`,
  })
}

/** The models that a key can call: a credential of the platform or of its account reaches their vendor. */
export async function reachedModels<Model extends { entry: CatalogueEntry }>(
  edge: Edge,
  { key, models }: { key: CachedKey; models: readonly Model[] },
): Promise<Model[]> {
  const own = new Map<string, boolean>()
  const isReached = async (model: Model) => {
    if (platformTarget(edge.config, routeOf(edge, model.entry))) return true
    const { provider } = model.entry
    if (!own.has(provider)) own.set(provider, await hasOwn(edge, key, provider))
    return own.get(provider)
  }
  const reached: Model[] = []
  for (const model of models) if (await isReached(model)) reached.push(model)
  return reached
}

async function hasOwn({ inference }: Edge, key: CachedKey, provider: string): Promise<boolean> {
  if (key.byokRevision === 0n) return false
  const found = await inference.byok.find(key.accountId, key.byokRevision, provider).catch(ignoreRefusal)
  return (found?.length ?? 0) > 0
}

async function listWithOwn<Model extends { entry: CatalogueEntry }>(
  edge: Edge,
  { key, models }: { key: CachedKey; models: readonly Model[] },
): Promise<OwnedAttempt<Model>[]> {
  const { config, inference } = edge
  const attempts: OwnedAttempt<Model>[] = []
  for (const model of models) {
    const { entry } = model
    const route = routeOf(edge, entry)
    const found = inference.byok.find(key.accountId, key.byokRevision, entry.provider)
    // What stands against a fallback's vendor is no reason not to ask the model that was asked for.
    const candidates = await (attempts.length > 0 ? found.catch(ignoreRefusal) : found)
    if (!candidates) return attempts
    for (const candidate of candidates) {
      const target = ownTarget(config, route, candidate)
      if (target) attempts.push({ entry, target, model, candidate })
    }
    const ownOnly = candidates.some(candidate => candidate.alwaysUse)
    if (!ownOnly) addPlatform(attempts, edge, model)
    if (model === models[0]) requireReached(attempts, models)
    if (ownOnly) return attempts
  }
  return attempts
}

function addPlatform<Model extends { entry: CatalogueEntry }>(
  attempts: OwnedAttempt<Model>[],
  edge: Edge,
  model: Model,
): void {
  const { entry } = model
  const target = platformTarget(edge.config, routeOf(edge, entry))
  if (target) attempts.push({ entry, target, model, candidate: undefined })
}

function routeOf({ inference }: Edge, entry: CatalogueEntry) {
  return { entry, vendor: inference.models.vendor(entry.provider) }
}

function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof Problem) || error.errorName === 'unavailable') throw error
}

/** Whether a credential was neither deleted nor disabled while a request ran: the key's copy tells of the change. */
export async function isStillUsable(
  { inference }: Edge,
  allowed: Allowed,
  { id, vendor }: Candidate,
): Promise<boolean> {
  await recheckKey(inference, allowed)
  const { accountId, byokRevision } = allowed.key
  const candidates = await inference.byok.find(accountId, byokRevision, vendor)
  return candidates.some(candidate => candidate.id === id)
}

/**
 * Returns whether an own credential still exists, and counts the call against the account's allowance unless it
 * `isCounted` already. Throws `allowance_exceeded`.
 */
export async function mayCallWithOwn(
  edge: Edge,
  allowed: Allowed,
  { candidate, isCounted }: { candidate: Candidate; isCounted: boolean },
): Promise<boolean> {
  if (!(await isStillUsable(edge, allowed, candidate))) return false
  if (isCounted) return true
  const { allowances } = edge.inference.context
  if (!trySpendHere(allowances, allowed.key, 'own_calls')) throw usedUp(allowances, allowed.key, 'own_calls')
  return true
}
