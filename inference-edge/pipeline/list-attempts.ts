import { trySpendHere, usedUp } from '../../domain/allowances/spend.ts'
import type { UsableCredential } from '../../domain/byok/usable-credentials.ts'
import { mayCallModel } from '../../domain/inference/allowed-models.ts'
import type { Allowed } from '../../domain/inference/check-key-and-rate.ts'
import { recheckKey } from '../../domain/inference/check-key-and-rate.ts'
import type { RouteLimit } from '../../domain/inference/routes/choose-models.ts'
import type { CachedKey } from '../../domain/keys/key-cache.ts'
import { callableEntries } from '../../domain/models/model-routes.ts'
import type { CatalogueEntry } from '../../schema/catalog/entry.ts'
import type { VendorModel } from '../../schema/catalog/vendor-address.ts'
import { Problem } from '../../schema/errors.ts'
import { type Attempt, orderAttempts } from '../../upstreams/attempts.ts'
import type { Edge } from '../edge.ts'

/** An attempt of a request: a cached model and the credential with which it is called. */
export interface ModelAttempt<Model extends CachedModel = CachedModel>
  extends Attempt<Model['entry'], UsableCredential> {
  model: Model
}

interface CachedModel {
  entry: CatalogueEntry
}

/**
 * Returns the attempts of a request, in order: the credentials that can call the requested model
 * (`upstreams/attempts.ts`), then those for each fallback. `models` begins with the requested model. If one of the
 * account's own credentials has `always_use`, no other model is called. `conversation` selects one of several platform
 * credentials, and `limit` restricts the routes. Throws `model_unavailable` if there is no credential for the requested
 * model, and `byok_disabled` if the account's credential with `always_use` is disabled and no other is enabled. If one
 * of these errors concerns a fallback, the fallback is skipped.
 */
export function listAttempts<Model extends CachedModel>(
  edge: Edge,
  plan: AttemptPlan<Model>,
): ModelAttempt<Model>[] | Promise<ModelAttempt<Model>[]> {
  return plan.key.byokRevision === 0n ? listPlatformAttempts(edge, plan) : listOwnFirst(edge, plan)
}

async function listOwnFirst<Model extends CachedModel>(
  edge: Edge,
  plan: AttemptPlan<Model>,
): Promise<ModelAttempt<Model>[]> {
  const { key, models, limit } = plan
  const listed: ModelAttempt<Model>[] = []
  for (const [at, model] of models.entries()) {
    if (isBeyond(limit, listed.at(-1), model)) continue
    const finding = findOwn(edge, key, model)
    const own = await (listed.length > 0 ? finding.catch(ignoreRefusal) : finding)
    if (!own || addAttempts(edge, listed, { plan, at, own })) return listed
  }
  return listed
}

/** Lists the attempts of an account without own credentials, which needs no wait. */
function listPlatformAttempts<Model extends CachedModel>(
  edge: Edge,
  plan: AttemptPlan<Model>,
): ModelAttempt<Model>[] {
  const { models, limit } = plan
  const listed: ModelAttempt<Model>[] = []
  for (const [at, model] of models.entries()) {
    if (!isBeyond(limit, listed.at(-1), model)) addAttempts(edge, listed, { plan, at, own: [] })
  }
  return listed
}

/** The models of a request in order, and what chooses among their credentials and routes. */
interface AttemptPlan<Model> {
  key: CachedKey
  models: readonly Model[]
  conversation?: string | undefined
  limit?: RouteLimit | undefined
}

/** Adds the attempts at the model at position `at`. Returns whether only own credentials may be used. */
function addAttempts<Model extends CachedModel>(
  edge: Edge,
  listed: ModelAttempt<Model>[],
  { plan, at, own }: { plan: AttemptPlan<Model>; at: number; own: readonly UsableCredential[] },
): boolean {
  const { key, models, conversation } = plan
  const model = models[at]!
  const request = { own, accountId: key.accountId, conversation }
  const { attempts, isOwnOnly } = orderAttempts(platformOf(edge), vendorModelOf(edge, model), request)
  for (const attempt of attempts) listed.push({ ...attempt, model })
  // The vendors of one model follow one another.
  if (listed.length === 0 && models[at + 1]?.entry.id !== model.entry.id) throw unreached(model)
  return isOwnOnly
}

/** Whether a limit leaves out a model after the last listed attempt. */
function isBeyond(
  limit: RouteLimit | undefined,
  last: CachedModel | undefined,
  { entry }: CachedModel,
): boolean {
  if (!limit || !last) return false
  return limit === 'one' || last.entry.id === entry.id
}

function unreached({ entry }: CachedModel): Problem {
  const internal = `no credential for ${entry.provider}`
  return new Problem('model_unavailable', { param: 'model', internal })
}

/**
 * Whether only the account's own credentials may be used for a model. Throws `model_unavailable` if no credential
 * reaches it, and the errors of the credentials' cache.
 */
export async function mustUseOwn(
  edge: Edge,
  { key, model }: { key: CachedKey; model: CachedModel },
): Promise<boolean> {
  const own = await findOwn(edge, key, model)
  const { attempts, isOwnOnly } = orderAttempts(platformOf(edge), vendorModelOf(edge, model), { own })
  if (attempts.length === 0) throw unreached(model)
  return isOwnOnly
}

/** Returns the account's own credentials for a model's vendor, in order. */
async function findOwn(
  { inference }: Edge,
  key: CachedKey,
  { entry }: CachedModel,
): Promise<readonly UsableCredential[]> {
  if (key.byokRevision === 0n) return []
  return inference.byok.find(key.accountId, key.byokRevision, entry.provider)
}

/**
 * Returns the models that a key can call: its lists include one of their vendors, which a credential of the platform or the
 * account reaches.
 */
export async function reachedModels<Model extends CachedModel>(
  edge: Edge,
  { key, models }: { key: CachedKey; models: readonly Model[] },
): Promise<Model[]> {
  const hasOwn = new Map<string, boolean>()
  const isReached = async (model: Model) => {
    for (const entry of callableEntries(model.entry, edge.inference.models.vendor)) {
      if (!mayCallModel(edge.inference, key, entry)) continue
      if (edge.upstreams.credentials.reaches(vendorModelOf(edge, { entry }))) return true
      const { provider } = entry
      if (!hasOwn.has(provider)) {
        const own = await findOwn(edge, key, { entry }).catch(ignoreRefusal)
        hasOwn.set(provider, (own?.length ?? 0) > 0)
      }
      if (hasOwn.get(provider)) return true
    }
    return false
  }
  const reached: Model[] = []
  for (const model of models) if (await isReached(model)) reached.push(model)
  return reached
}

function platformOf({ config, upstreams }: Edge) {
  return { config, credentials: upstreams.credentials }
}

function vendorModelOf<Model extends CachedModel>(
  { inference }: Edge,
  { entry }: Model,
): VendorModel<Model['entry']> {
  return { entry, vendor: inference.models.vendor(entry.provider) }
}

function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof Problem) || error.errorName === 'unavailable') throw error
}

/** Whether a credential still exists and is enabled, by the current copy of the key. */
export async function isStillUsable(
  { inference }: Edge,
  allowed: Allowed,
  { id, vendor }: UsableCredential,
): Promise<boolean> {
  await recheckKey(inference, allowed)
  const { accountId, byokRevision } = allowed.key
  const credentials = await inference.byok.find(accountId, byokRevision, vendor)
  return credentials.some(credential => credential.id === id)
}

/**
 * Returns whether the account's own credential still exists, and counts the call against the account's allowance unless
 * it `isCounted` already. Throws `allowance_exceeded`.
 */
export async function mayCallWithOwn(
  edge: Edge,
  allowed: Allowed,
  { own, isCounted }: { own: UsableCredential; isCounted: boolean },
): Promise<boolean> {
  if (!(await isStillUsable(edge, allowed, own))) return false
  if (isCounted) return true
  const { allowances } = edge.inference.context
  if (!trySpendHere(allowances, allowed.key, 'own_calls')) throw usedUp(allowances, allowed.key, 'own_calls')
  return true
}
