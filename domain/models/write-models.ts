import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { CatalogueEntry, ParameterSchema } from '../../schema/catalog/entry.ts'
import type { Origin } from './model-records.ts'

/** A change of the catalogue that is about to be written. */
export interface Revising {
  /** The revision that the catalogue gets. */
  revision: bigint
  now: Date
  origin: Origin
}

/** What a change of the catalogue begins with. */
export interface LockedCatalogue {
  revision: bigint
  /** Null until a version that keeps them has applied the files. */
  chatParameters: ParameterSchema | null
}

/** Locks the catalogue until the transaction ends: those who change it do so one after the other. */
export async function lockCatalogue(sql: SqlTransaction): Promise<LockedCatalogue> {
  const [state] = await sql<LockedCatalogue[]>`
    select revision, chat_parameters as "chatParameters" from catalogue_state for update`
  return state!
}

/** Writes entries, new ones and changed ones. Their names become free for them where a removed model has them. */
export async function writeModels(
  sql: SqlTransaction,
  models: readonly CatalogueEntry[],
  { revision, now, origin }: Revising,
): Promise<void> {
  await freeNames(sql, models)
  await sql`
    insert into models (id, model, provider, modality, is_popular, is_active, is_removed, data, origin, revision,
      created_at, updated_at)
    select entry ->> 'id', entry ->> 'model', entry ->> 'provider', entry ->> 'modality',
      (entry ->> 'popular')::boolean, (entry ->> 'active')::boolean, false, entry, ${origin}, ${revision},
      (entry ->> 'created')::timestamp at time zone 'UTC', ${now}
    from jsonb_array_elements(${JSON.stringify(models)}::text::jsonb) as entry
    on conflict (id) do update set
      model = excluded.model, provider = excluded.provider, modality = excluded.modality,
      is_popular = excluded.is_popular, is_active = excluded.is_active, is_removed = false, data = excluded.data,
      origin = excluded.origin, revision = excluded.revision,
      created_at = excluded.created_at, updated_at = excluded.updated_at`
}

/** Renames models whose name is declared for another id now, since names are unique. */
async function freeNames(sql: SqlTransaction, models: readonly CatalogueEntry[]): Promise<void> {
  await sql`
    update models set model = 'formerly ' || models.id
    from unnest(${models.map(({ id }) => id)}::text[], ${models.map(({ model }) => model)}::text[]) as declared (id, model)
    where models.model = declared.model and models.id <> declared.id`
}

/** Takes models out of the catalogue. Their rows stay. */
export async function removeModels(
  sql: SqlTransaction,
  ids: readonly string[],
  { revision, now, origin }: Revising,
): Promise<void> {
  await sql`
    update models set is_active = false, is_removed = true, updated_at = ${now}, origin = ${origin},
      revision = ${revision}
    where id = any(${ids}::text[])`
}

/** Makes processes load the catalogue anew. */
export async function raiseRevision(
  sql: SqlTransaction,
  { revision, now }: Pick<Revising, 'revision' | 'now'>,
): Promise<void> {
  await sql`update catalogue_state set revision = ${revision}, applied_at = ${now}`
}
