import type { CatalogueEntry } from '../../schema/catalog/entry.ts'
import { Problem } from '../../schema/errors.ts'
import type { CachedKey } from '../keys/key-cache.ts'
import type { Inference } from './open-inference.ts'

type Models = Pick<Inference, 'models'>

/** Returns whether the key's `allowed_models` and `allowed_vendors` include a model. */
export function mayCallModel({ models }: Models, { modelRules }: CachedKey, entry: CatalogueEntry): boolean {
  return modelRules?.refusedBy(entry, models.vendor(entry.provider)) === undefined
}

/**
 * Returns the models of a request that the key's lists include. If they include no vendor of the requested model, which
 * comes first, it alone is returned: the request then fails with `model_not_allowed`, whatever its fallbacks are.
 */
export function allowedModels<Model extends { entry: CatalogueEntry }>(
  models: Models,
  key: CachedKey,
  listed: Model[],
): Model[] {
  if (!key.modelRules) return listed
  const allowed = listed.filter(({ entry }) => mayCallModel(models, key, entry))
  return allowed[0]?.entry.id === listed[0]?.entry.id ? allowed : listed.slice(0, 1)
}

/** Throws `model_not_allowed`, which names the list, if the key's lists do not include a model. */
export function requireModel({ models }: Models, { modelRules }: CachedKey, entry: CatalogueEntry): void {
  const rule = modelRules?.refusedBy(entry, models.vendor(entry.provider))
  if (rule === undefined) return
  const missing = rule === 'allowed_models' ? entry.model : entry.provider
  const message = `The ${rule} of this API key do not include ${missing}. GET /v1/models lists the models that it may call.`
  throw new Problem('model_not_allowed', { param: 'model', message, shouldRetry: false })
}
