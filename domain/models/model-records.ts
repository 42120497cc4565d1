import type { Sql } from '../../platform/postgres/open-postgres.ts'
import type { CatalogueEntry } from '../../schema/catalog/entry.ts'
import type { Vendor } from '../../schema/catalog/vendor.ts'
import type { Context } from '../context.ts'

/** A model as it is kept: its entry, when it joined the catalogue and when its entry last changed. */
export interface ModelRecord {
  entry: CatalogueEntry
  createdAt: Date
  updatedAt: Date
}

/** The columns of `models` that make a record. */
export function modelColumns(sql: Sql) {
  return sql`data as entry, created_at as "createdAt", updated_at as "updatedAt"`
}

/** Finds an active model by its catalogue id, or by the name that inference requests use. */
export async function findModel(
  { sql }: Pick<Context, 'sql'>,
  { id }: { id: string },
): Promise<ModelRecord | undefined> {
  const [record] = await sql<ModelRecord[]>`
    select ${modelColumns(sql)} from models where is_active and (id = ${id} or model = ${id})`
  return record
}

/** Finds those of many catalogue ids that are active models, in one statement and in any order. */
export async function findModels(
  { sql }: Pick<Context, 'sql'>,
  { ids }: { ids: readonly string[] },
): Promise<ModelRecord[]> {
  return sql<ModelRecord[]>`
    select ${modelColumns(sql)} from models where is_active and id = any(${ids}::text[])`
}

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

/** The revision of the applied catalogue: another number than before means, load it again. */
export async function readRevision({ sql }: Pick<Context, 'sql'>): Promise<bigint> {
  const [state] = await sql<{ revision: bigint }[]>`select revision from catalogue_state`
  return state?.revision ?? 0n
}
