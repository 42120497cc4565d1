import { type KeysetOrder, keyset, type Position, type Slice } from '../../platform/postgres/keyset.ts'
import type { Modality } from '../../schema/catalog/entry.ts'
import type { Context } from '../context.ts'
import { type FoundModel, type ModelContext, type ModelRecord, readModels } from './model-records.ts'
import { isReachable, type Viewer } from './reachable-models.ts'

/** Maximum length of a search, in characters. Postgres nests the words of a search, and fails on very long ones. */
export const maxSearchLength = 200

/** A filter of models. Several values of one field match any of them. */
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
  /** Whether only active models match; true by default. */
  active?: boolean | undefined
  /** The viewer, who sees only models that a credential reaches. */
  viewer?: Viewer | undefined
}

/** The order of the model list: popular models first, then the newest. */
export const popularFirst = [
  { name: 'is_popular', type: 'boolean', direction: 'desc' },
  { name: 'created_at', type: 'timestamptz', direction: 'desc' },
  { name: 'id', type: 'text', direction: 'asc' },
] as const satisfies KeysetOrder

/** Returns the position of a model in an order by the columns `is_popular`, `created_at` and `id`. */
export function positionOfModel({ entry, createdAt }: ModelRecord, order: KeysetOrder): Position {
  const values = new Map([
    ['is_popular', String(entry.popular)],
    ['created_at', String(createdAt.getTime() * 1000)],
    ['id', entry.id],
  ])
  return order.map(({ name }) => values.get(name) ?? '')
}

/** Finds a page of matching models. By default only active ones match, and popular ones come first. */
export async function searchModels(
  context: ModelContext,
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
 * Returns the search as a query that matches prefixes: each quote that ends a word gets `:*` after it. A minus
 * without a word is removed, because Postgres fails if more than 32 of them follow one another.
 */
function prefixQuery(sql: Context['sql'], search: string) {
  const text = search.replaceAll(/-(?![\p{L}\p{N}"])/gu, ' ')
  return sql`regexp_replace(websearch_to_tsquery('simple', ${text})::text, $$'(?=[ )]|$)$$, $$':*$$, 'g')::tsquery`
}
