import type { Sql, SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { CatalogueEntry } from '../../schema/catalog/entry.ts'
import type { Vendor } from '../../schema/catalog/vendor.ts'
import type { Context } from '../context.ts'
import { isVisible, type Viewer, type Visibility } from './reachable-models.ts'

/** The last source of a model's entry: the files of the catalogue, or an operator through the graph. */
export type Origin = 'files' | 'graph'

/** A model in the database: its entry, when it joined the catalogue, and when its entry last changed. */
export interface ModelRecord {
  entry: CatalogueEntry
  origin: Origin
  /** The revision of the catalogue when the entry last changed. */
  revision: bigint
  createdAt: Date
  updatedAt: Date
}

/** The columns of `models` under their names in `ModelRecord`. */
export function modelColumns(sql: Sql | SqlTransaction) {
  return sql`data as entry, origin, revision, created_at as "createdAt", updated_at as "updatedAt"`
}

/** The context for finding models. */
export interface ModelContext extends Pick<Context, 'sql'> {
  /** The models that this process has read, by catalogue ID, each at its last known revision. */
  knownModels: Map<string, ModelRecord>
}

/** A model that a statement found, with its revision. */
export interface FoundModel extends Pick<ModelRecord, 'revision'> {
  id: string
}

/**
 * Returns the models that a statement found, in its order. Reads only models whose revision this process has not
 * read, because entries are kilobytes of JSON that hardly ever change.
 */
export async function readModels(
  { sql, knownModels }: ModelContext,
  found: readonly FoundModel[],
): Promise<ModelRecord[]> {
  const missing = found.filter(({ id, revision }) => knownModels.get(id)?.revision !== revision)
  if (missing.length > 0) {
    const records = await sql<ModelRecord[]>`
      select ${modelColumns(sql)} from models where id = any(${missing.map(({ id }) => id)}::text[])`
    for (const record of records) knownModels.set(record.entry.id, record)
  }
  return found.flatMap(({ id }) => knownModels.get(id) ?? [])
}

/**
 * Finds a visible model by its catalogue id, or by its name or an alias in inference requests; an active one by default.
 */
export async function findModel(
  context: ModelContext,
  { id, ...visibility }: { id: string } & Visibility,
): Promise<ModelRecord | undefined> {
  const { sql } = context
  const found = await sql<FoundModel[]>`
    select id, revision from models where (id = ${id} or model = ${id}) and ${isVisible(sql, visibility)}`
  const [record] = await readModels(context, found.length > 0 ? found : await findAlias(sql, id, visibility))
  return record
}

/** Aliases have no index, so they are only searched for a name that no model has. */
function findAlias(sql: Sql, alias: string, visibility: Visibility): Promise<FoundModel[]> {
  return sql<FoundModel[]>`
    select id, revision from models
    where data -> 'known_as' ? ${alias} and not is_removed and ${isVisible(sql, visibility)}`
}

/** Finds visible models by their catalogue ids, in any order. Unknown ids are skipped. */
export async function findModels(
  context: ModelContext,
  { ids, ...visibility }: { ids: readonly string[] } & Visibility,
): Promise<ModelRecord[]> {
  const { sql } = context
  const found = await sql<FoundModel[]>`
    select id, revision from models where id = any(${ids}::text[]) and ${isVisible(sql, visibility)}`
  return readModels(context, found)
}

/** Finds the catalogue ids of visible models by their names in inference requests. Unknown names are skipped. */
export async function findModelIds(
  { sql }: Pick<Context, 'sql'>,
  { names, ...visibility }: { names: readonly string[] } & Visibility,
): Promise<{ id: string; name: string }[]> {
  return sql<{ id: string; name: string }[]>`
    select id, model as name from models where model = any(${names}::text[]) and ${isVisible(sql, visibility)}`
}

/** The catalogue at one revision, as visible to a viewer. */
export interface LoadedCatalogue {
  revision: bigint
  vendors: Vendor[]
  /** Active models only. */
  models: ModelRecord[]
}

/**
 * Loads the catalogue. If it changes during the load, the result has the older revision, so that it is loaded again.
 */
export async function loadCatalogue(
  { sql }: Pick<Context, 'sql'>,
  viewer?: Viewer,
): Promise<LoadedCatalogue> {
  const revision = await readRevision({ sql })
  const [vendors, models] = await Promise.all([
    sql<{ data: Vendor }[]>`select data from vendors order by label`,
    sql<
      ModelRecord[]
    >`select ${modelColumns(sql)} from models where ${isVisible(sql, { viewer })} order by id`,
  ])
  return { revision, vendors: vendors.map(({ data }) => data), models: [...models] }
}

/** Reads the revision of the catalogue, which increases with every change. */
export async function readRevision({ sql }: Pick<Context, 'sql'>): Promise<bigint> {
  const [state] = await sql<{ revision: bigint }[]>`select revision from catalogue_state`
  return state?.revision ?? 0n
}
