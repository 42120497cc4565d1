import type { Vendor } from '../../schema/catalog/vendor.ts'
import { findModels, type ModelContext, type ModelRecord } from '../models/model-records.ts'
import { callableEntries } from '../models/model-routes.ts'
import { compileModelRules } from './model-rules.ts'

/** Finds the models among `ids` that a key may call at one of their vendors, by its lists. Inactive models count too. */
export async function findAllowedModels(
  context: ModelContext,
  { accountId, keyId, ids }: { accountId: string; keyId: string; ids: readonly string[] },
): Promise<ModelRecord[]> {
  const { sql } = context
  const [[key], models, vendors] = await Promise.all([
    sql<{ models: string[]; vendors: string[] }[]>`
      select allowed_models as models, allowed_vendors as vendors from api_keys
      where account_id = ${accountId} and id = ${keyId}`,
    findModels(context, { ids, inactiveToo: true }),
    sql<{ data: Vendor }[]>`select data from vendors`,
  ])
  const rules = key && compileModelRules(key.models, key.vendors)
  if (!rules) return models
  const byLabel = new Map(vendors.map(({ data }) => [data.label, data]))
  const vendorOf = (label: string) => byLabel.get(label)
  return models.filter(({ entry }) =>
    callableEntries(entry, vendorOf).some(each => !rules.refusedBy(each, vendorOf(each.provider))),
  )
}
