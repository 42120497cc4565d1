import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { CatalogueEntry } from '../../schema/catalog/entry.ts'
import type { Vendor } from '../../schema/catalog/vendor.ts'
import type { Context } from '../context.ts'
import { checkKept } from './check-kept.ts'
import type { Catalogue } from './read-catalogue.ts'
import { lockCatalogue, raiseRevision, removeModels, writeModels } from './write-models.ts'

/** The changes of an apply, by catalogue ID. */
export interface Applied {
  added: string[]
  changed: string[]
  /** Models that are no longer in the files. They remain as inactive rows, because the log refers to them. */
  deactivated: string[]
  unchanged: string[]
  /** Models that keep the changes of operators through the graph although the files differ. */
  kept: string[]
  /**
   * The revision of the catalogue, which increases with every change. Processes compare it with the revision of their
   * cached catalogue.
   */
  revision: bigint
}

/**
 * Writes this catalogue to the database in one transaction: readers see all of the change or nothing, and concurrent
 * applies run one after the other. Applying again changes nothing, including times.
 *
 * Models that operators changed through the graph keep their entries until the files declare the same entries. Then
 * the files own them again. With `takeOver` the files win at once. Throws an Error with every fault if the files and
 * the kept models conflict (docs/behaviour.md, Operators).
 */
export function applyCatalogue(
  { sql, clock }: Pick<Context, 'sql' | 'clock'>,
  catalogue: Catalogue,
  { takeOver = false }: { takeOver?: boolean } = {},
): Promise<Applied> {
  const { vendors, models, chatParameters } = catalogue
  const now = new Date(clock.now())
  return sql.begin(async transaction => {
    const before = await lockCatalogue(transaction)
    const outcomes = await compare(transaction, models, takeOver)
    const ids = (wanted: Outcome) => outcomes.filter(({ outcome }) => outcome === wanted).map(({ id }) => id)
    const [added, changed, deactivated, kept] = [
      ids('added'),
      ids('changed'),
      ids('deactivated'),
      ids('kept'),
    ]
    await checkKept(transaction, catalogue, kept)

    const newVendors = await writeVendors(transaction, vendors)
    const revising = { revision: before.revision + 1n, now, origin: 'files' } as const
    const written = new Set([...added, ...changed])
    const declared = models.filter(({ id }) => written.has(id))
    if (declared.length > 0) await writeModels(transaction, declared, revising)
    await removeModels(transaction, deactivated, revising)
    await transaction`update models set origin = 'files' where origin = 'graph' and id <> all(${kept}::text[])`
    await transaction`update catalogue_state set chat_parameters = ${JSON.stringify(chatParameters)}::text::jsonb`
    const changes = newVendors + added.length + changed.length + deactivated.length
    if (changes > 0) await raiseRevision(transaction, revising)
    const { revision } = changes > 0 ? revising : before
    return { added, changed, deactivated, unchanged: ids('unchanged'), kept, revision }
  })
}

/** `gone`: in neither; not changed. */
type Outcome = 'added' | 'changed' | 'deactivated' | 'unchanged' | 'kept' | 'gone'

async function writeVendors(sql: SqlTransaction, vendors: readonly Vendor[]): Promise<number> {
  const written = await sql`
    insert into vendors (label, data)
    select vendor ->> 'label', vendor from jsonb_array_elements(${JSON.stringify(vendors)}::text::jsonb) as vendor
    on conflict (label) do update set data = excluded.data where vendors.data <> excluded.data`
  return written.count
}

/** Returns the outcome for each model that is declared or in the database. */
function compare(
  sql: SqlTransaction,
  models: readonly CatalogueEntry[],
  takeOver: boolean,
): Promise<{ id: string; outcome: Outcome }[]> {
  return sql<{ id: string; outcome: Outcome }[]>`
    select id, case
        when known.id is null then 'added'
        when declared.entry is null and known.is_removed then 'gone'
        when known.data = declared.entry and not known.is_removed then 'unchanged'
        when known.origin = 'graph' and not ${takeOver} then 'kept'
        when declared.entry is null then 'deactivated'
        else 'changed'
      end as outcome
    from (
      select entry ->> 'id' as id, entry from jsonb_array_elements(${JSON.stringify(models)}::text::jsonb) as entry
    ) as declared
    full join models as known using (id)
    order by id`
}
