import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { CatalogueEntry, ParameterSchema } from '../../schema/catalog/entry.ts'
import type { Origin } from './model-records.ts'

/** A change of the catalogue in progress. */
export interface Revising {
  /** The revision that the catalogue gets. */
  revision: bigint
  now: Date
  origin: Origin
}

/** The state of the catalogue at the start of a change. */
export interface LockedCatalogue {
  revision: bigint
  /** The chat parameters; null until the files were applied for the first time. */
  chatParameters: ParameterSchema | null
}

/** Locks the catalogue until the transaction ends, so that changes run one after the other. */
export async function lockCatalogue(sql: SqlTransaction): Promise<LockedCatalogue> {
  const [state] = await sql<LockedCatalogue[]>`
    select revision, chat_parameters as "chatParameters" from catalogue_state for update`
  return state!
}

/** Writes new and changed entries. If a removed model has the same name, the name is freed. */
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

/** Renames models whose name is now declared for another ID, because names are unique. */
async function freeNames(sql: SqlTransaction, models: readonly CatalogueEntry[]): Promise<void> {
  await sql`
    update models set model = 'formerly ' || models.id
    from unnest(${models.map(({ id }) => id)}::text[], ${models.map(({ model }) => model)}::text[]) as declared (id, model)
    where models.model = declared.model and models.id <> declared.id`
}

/** Removes models from the catalogue. Their rows remain. */
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

/** Increases the revision, so that processes reload the catalogue. */
export async function raiseRevision(
  sql: SqlTransaction,
  { revision, now }: Pick<Revising, 'revision' | 'now'>,
): Promise<void> {
  await sql`update catalogue_state set revision = ${revision}, applied_at = ${now}`
}
