import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { CatalogueEntry, ParameterSchema } from '../../schema/catalog/entry.ts'
import type { Origin } from './model-records.ts'

/** A change of the catalogue in progress. */
export interface Revising {
  /** The revision that the catalogue gets. */
  revision: bigint
  now: Date
  origin: Origin
  /** The name of the operator who changes models through the graph. */
  operator?: string | undefined
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
  revising: Revising,
): Promise<void> {
  const { revision, now, origin } = revising
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
  await recordRevisions(
    sql,
    models.map(({ id }) => id),
    revising,
  )
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
  revising: Revising,
): Promise<void> {
  const { revision, now, origin } = revising
  await sql`
    update models set is_active = false, is_removed = true, updated_at = ${now}, origin = ${origin},
      revision = ${revision}
    where id = any(${ids}::text[])`
  await recordRevisions(sql, ids, revising)
}

/** Maximum number of revisions of a model that are kept, so that a script that changes models often needs little space. */
const maxRevisions = 200

/** Adds the present entries of models to their history, and deletes the oldest revisions. */
async function recordRevisions(
  sql: SqlTransaction,
  ids: readonly string[],
  { revision, now, operator }: Revising,
): Promise<void> {
  if (ids.length === 0) return
  await sql`
    insert into model_revisions (model_id, revision, origin, operator, is_removed, data, created_at)
    select id, ${revision}, origin, ${operator ?? null}, is_removed, data, ${now} from models where id = any(${ids}::text[])`
  await sql`
    delete from model_revisions
    where model_id = any(${ids}::text[]) and revision <= (
      select r.revision from model_revisions r where r.model_id = model_revisions.model_id
      order by r.revision desc offset ${maxRevisions} limit 1)`
}

/** Increases the revision, so that processes reload the catalogue. */
export async function raiseRevision(
  sql: SqlTransaction,
  { revision, now }: Pick<Revising, 'revision' | 'now'>,
): Promise<void> {
  await sql`update catalogue_state set revision = ${revision}, applied_at = ${now}`
}
