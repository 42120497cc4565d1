import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { CatalogueEntry } from '../../schema/catalog/entry.ts'
import type { Vendor } from '../../schema/catalog/vendor.ts'
import type { Context } from '../context.ts'
import type { Catalogue } from './read-catalogue.ts'

/** What applying changed, by catalogue id. */
export interface Applied {
  added: string[]
  changed: string[]
  /** No longer in the files: such a model stays as an inactive row, for the requests in the log. */
  deactivated: string[]
  unchanged: string[]
  /** Grows with every change: processes compare it with that of their cached catalogue. */
  revision: bigint
}

/**
 * Makes the database hold exactly this catalogue, in one transaction: readers see all of the change or none
 * of it, and two applies at once run one after the other. Applying again changes nothing, not even a time.
 */
export function applyCatalogue(
  { sql, clock }: Pick<Context, 'sql' | 'clock'>,
  { vendors, models }: Catalogue,
): Promise<Applied> {
  const now = new Date(clock.now())
  return sql.begin(async transaction => {
    await transaction`select from catalogue_state for update`
    const newVendors = await writeVendors(transaction, vendors)
    const outcomes = await compare(transaction, models)
    const ids = (wanted: Outcome) => outcomes.filter(({ outcome }) => outcome === wanted).map(({ id }) => id)
    const [added, changed, deactivated] = [ids('added'), ids('changed'), ids('deactivated')]

    const written = new Set([...added, ...changed])
    await freeNames(transaction, models)
    await writeModels(
      transaction,
      models.filter(({ id }) => written.has(id)),
      now,
    )
    await transaction`update models set is_active = false, updated_at = ${now} where id = any(${deactivated}::text[])`
    const changes = newVendors + added.length + changed.length + deactivated.length
    const revision = await raiseRevision(transaction, { changes, now })
    return { added, changed, deactivated, unchanged: ids('unchanged'), revision }
  })
}

type Outcome = 'added' | 'changed' | 'deactivated' | 'unchanged'

async function writeVendors(sql: SqlTransaction, vendors: readonly Vendor[]): Promise<number> {
  const written = await sql`
    insert into vendors (label, data)
    select vendor ->> 'label', vendor from jsonb_array_elements(${JSON.stringify(vendors)}::text::jsonb) as vendor
    on conflict (label) do update set data = excluded.data where vendors.data <> excluded.data`
  return written.count
}

/** What happens to each model that is declared, or in the database. */
function compare(
  sql: SqlTransaction,
  models: readonly CatalogueEntry[],
): Promise<{ id: string; outcome: Outcome }[]> {
  return sql<{ id: string; outcome: Outcome }[]>`
    select id, case
        when known.id is null then 'added'
        when declared.entry is null then 'deactivated'
        when known.data = declared.entry and known.is_active = (declared.entry ->> 'active')::boolean then 'unchanged'
        else 'changed'
      end as outcome
    from (
      select entry ->> 'id' as id, entry from jsonb_array_elements(${JSON.stringify(models)}::text::jsonb) as entry
    ) as declared
    full join models as known using (id)
    where declared.entry is not null or known.is_active
    order by id`
}

/** Renames models whose name is declared for another id now, since names are unique. */
async function freeNames(sql: SqlTransaction, models: readonly CatalogueEntry[]): Promise<void> {
  await sql`
    update models set model = 'formerly ' || models.id
    from unnest(${models.map(({ id }) => id)}::text[], ${models.map(({ model }) => model)}::text[]) as declared (id, model)
    where models.model = declared.model and models.id <> declared.id`
}

async function writeModels(sql: SqlTransaction, models: readonly CatalogueEntry[], now: Date): Promise<void> {
  await sql`
    insert into models (id, model, provider, modality, is_popular, is_active, data, created_at, updated_at)
    select entry ->> 'id', entry ->> 'model', entry ->> 'provider', entry ->> 'modality',
      (entry ->> 'popular')::boolean, (entry ->> 'active')::boolean, entry,
      (entry ->> 'created')::timestamp at time zone 'UTC', ${now}
    from jsonb_array_elements(${JSON.stringify(models)}::text::jsonb) as entry
    on conflict (id) do update set
      model = excluded.model, provider = excluded.provider, modality = excluded.modality,
      is_popular = excluded.is_popular, is_active = excluded.is_active, data = excluded.data,
      created_at = excluded.created_at, updated_at = excluded.updated_at`
}

async function raiseRevision(
  sql: SqlTransaction,
  { changes, now }: { changes: number; now: Date },
): Promise<bigint> {
  const [state] = await sql<{ revision: bigint }[]>`
    update catalogue_state set revision = revision + ${changes > 0 ? 1 : 0}, applied_at = ${now} returning revision`
  return state!.revision
}
