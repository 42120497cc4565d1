import { type KeysetOrder, keyset, type Position, type Slice } from '../../platform/postgres/keyset.ts'
import type { Modality } from '../../schema/catalog/entry.ts'
import type { Context } from '../context.ts'
import { type FoundModel, type LookUpContext, type ModelRecord, readModels } from './model-records.ts'
import { isReachable, type Viewer } from './reachable-models.ts'

/** Maximum length of a search, in characters. Postgres nests the words of a search, and fails on very long ones. */
export const maxSearchLength = 200

/** Several values of one filter mean any of them. */
export interface ModelFilter {
  /** The `task` parameter of the model list, which names modalities. */
  tasks?: readonly Modality[] | undefined
  providers?: readonly string[] | undefined
  /**
   * Words or prefixes of words in name and description; `"exact phrase"`, `or` and `-not` work as in web
   * searches.
   */
  search?: string | undefined
  popular?: boolean | undefined
  /** Those that can be called, unless it is false. */
  active?: boolean | undefined
  /** Sees only models that a credential reaches. */
  viewer?: Viewer | undefined
}

/** Popular models first, then the newest: the order of the model list. */
export const popularFirst = [
  { name: 'is_popular', type: 'boolean', direction: 'desc' },
  { name: 'created_at', type: 'timestamptz', direction: 'desc' },
  { name: 'id', type: 'text', direction: 'asc' },
] as const satisfies KeysetOrder

/** Where a model stands in an order of the columns `is_popular`, `created_at` and `id`. */
export function positionOfModel({ entry, createdAt }: ModelRecord, order: KeysetOrder): Position {
  const values = new Map([
    ['is_popular', String(entry.popular)],
    ['created_at', String(createdAt.getTime() * 1000)],
    ['id', entry.id],
  ])
  return order.map(({ name }) => values.get(name) ?? '')
}

/** Finds a slice of the models that match, active ones unless the filter says otherwise, popular ones first unless another order is given. */
export async function searchModels(
  context: LookUpContext,
  { filter, slice, order = popularFirst }: { filter: ModelFilter; slice: Slice; order?: KeysetOrder },
): Promise<ModelRecord[]> {
  const { sql } = context
  const { where, end } = keyset(sql, order, slice)
  const found = await sql<FoundModel[]>`
    select id, revision from models where ${matchModels(sql, filter)} ${where} ${end}`
  return readModels(context, found)
}

/** Counts the models that match. */
export async function countModels({ sql }: Pick<Context, 'sql'>, filter: ModelFilter): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*)::int as total from models where ${matchModels(sql, filter)}`
  return row?.total ?? 0
}

function matchModels(sql: Context['sql'], filter: ModelFilter) {
  const { tasks, providers, search, popular, active = true, viewer } = filter
  const always = sql``
  return sql`not is_removed and is_active = ${active} and ${isReachable(sql, viewer)}
    ${tasks ? sql`and modality = any(${tasks}::text[])` : always}
    ${providers ? sql`and provider = any(${providers}::text[])` : always}
    ${popular === undefined ? always : sql`and is_popular = ${popular}`}
    ${search?.trim() ? sql`and search @@ ${prefixQuery(sql, search)}` : always}`
}

/**
 * The search as a query that matches prefixes: each quote that ends a word gets `:*` after it. A minus
 * without a word is removed, since Postgres throws at more than 32 of them in a row.
 */
function prefixQuery(sql: Context['sql'], search: string) {
  const text = search.replaceAll(/-(?![\p{L}\p{N}"])/gu, ' ')
  return sql`regexp_replace(websearch_to_tsquery('simple', ${text})::text, $$'(?=[ )]|$)$$, $$':*$$, 'g')::tsquery`
}
