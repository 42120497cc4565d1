import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { CatalogueEntry } from '../../schema/catalog/entry.ts'
import type { Vendor } from '../../schema/catalog/vendor.ts'
import type { Context } from '../context.ts'
import { checkKept } from './check-kept.ts'
import type { Catalogue } from './read-catalogue.ts'
import { lockCatalogue, raiseRevision, removeModels, writeModels } from './write-models.ts'

/** What applying changed, by catalogue id. */
export interface Applied {
  added: string[]
  changed: string[]
  /** No longer in the files: such a model stays as an inactive row, for the requests in the log. */
  deactivated: string[]
  unchanged: string[]
  /** Left as operators changed them through the graph, although the files say otherwise. */
  kept: string[]
  /** Grows with every change: processes compare it with that of their cached catalogue. */
  revision: bigint
}

/**
 * Makes the database hold this catalogue, in one transaction: readers see all of the change or none of it, and two
 * applies at once run one after the other. Applying again changes nothing, not even a time.
 *
 * Models that operators changed through the graph stay as they are, until the files say the same of them: then they
 * are the files' again. With `takeOver` the files win at once. Throws an Error that lists every fault where what the
 * files declare and what stays do not fit together (docs/behaviour.md, Operators).
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

/** `gone`: in neither, and left as it is. */
type Outcome = 'added' | 'changed' | 'deactivated' | 'unchanged' | 'kept' | 'gone'

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
