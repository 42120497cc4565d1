import type { Vendor } from '../../schema/catalog/vendor.ts'
import type { Context } from '../context.ts'
import { type ModelRecord, modelColumns } from './model-record.ts'
import { readRevision } from './read-revision.ts'

/** What a process keeps in memory until the revision moves on. */
export interface LoadedCatalogue {
  revision: bigint
  vendors: Vendor[]
  /** Active models only. */
  models: ModelRecord[]
}

/** Loads the applied catalogue. Should it change meanwhile, its revision is the older one, so that it is loaded again. */
export async function loadCatalogue({ sql }: Pick<Context, 'sql'>): Promise<LoadedCatalogue> {
  const revision = await readRevision({ sql })
  const [vendors, models] = await Promise.all([
    sql<{ data: Vendor }[]>`select data from vendors order by label`,
    sql<ModelRecord[]>`select ${modelColumns(sql)} from models where is_active order by id`,
  ])
  return { revision, vendors: vendors.map(({ data }) => data), models: [...models] }
}
