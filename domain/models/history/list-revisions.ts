import { type KeysetOrder, keyset, type Slice } from '../../../platform/postgres/keyset.ts'
import type { CatalogueEntry } from '../../../schema/catalog/entry.ts'
import type { Context } from '../../context.ts'
import type { Origin } from '../model-records.ts'

/** A revision of a model: the entry that it had from then on. */
export interface ModelRevision {
  revision: bigint
  entry: CatalogueEntry
  origin: Origin
  /** The name of the operator who changed the model; null for the catalogue's files. */
  operator: string | null
  /** Whether this revision deleted the model. Its entry is then the last one. */
  isRemoved: boolean
  createdAt: Date
}

/** Newest first. */
export const revisionOrder = [
  { name: 'revision', type: 'bigint', direction: 'desc' },
] as const satisfies KeysetOrder

/** Lists a slice of the revisions of a model, newest first. Deleted models have their revisions, unknown ones have none. */
export async function listRevisions(
  { sql }: Pick<Context, 'sql'>,
  { modelId, slice }: { modelId: string; slice: Slice },
): Promise<ModelRevision[]> {
  const { where, end, inOrder } = keyset(sql, revisionOrder, slice)
  return sql<ModelRevision[]>`
    select revision, data as entry, origin, operator, is_removed as "isRemoved", created_at as "createdAt"
    from (select * from model_revisions where model_id = ${modelId} ${where} ${end}) page
    ${inOrder}`
}

/** Counts the revisions of a model, up to `max`. */
export async function countRevisions(
  { sql }: Pick<Context, 'sql'>,
  { modelId, max }: { modelId: string; max: number },
): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*)::int as total from (
      select from model_revisions where model_id = ${modelId} limit ${max}
    ) counted`
  return row?.total ?? 0
}
