import type { Modality } from '../../schema/catalog/entry.ts'
import type { Context } from '../context.ts'
import { type ModelRecord, modelColumns } from './model-records.ts'

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
}

/** A page of the model list, of records not yet presented. */
export interface ModelPage {
  data: ModelRecord[]
  page: number
  per_page: number
  total: number
  total_pages: number
}

/** Finds active models, popular ones first, then the newest. A page past the end is empty. */
export async function searchModels(
  { sql }: Pick<Context, 'sql'>,
  { filter, page, perPage }: { filter: ModelFilter; page: number; perPage: number },
): Promise<ModelPage> {
  const { tasks, providers, search, popular } = filter
  const always = sql``
  const found = sql`
    from models where is_active
      ${tasks ? sql`and modality = any(${tasks}::text[])` : always}
      ${providers ? sql`and provider = any(${providers}::text[])` : always}
      ${popular === undefined ? always : sql`and is_popular = ${popular}`}
      ${search?.trim() ? sql`and search @@ ${prefixQuery(sql, search)}` : always}`
  const [[count], data] = await Promise.all([
    sql<{ total: number }[]>`select count(*)::int as total ${found}`,
    sql<ModelRecord[]>`
      select ${modelColumns(sql)} ${found}
      order by is_popular desc, created_at desc, id offset ${(page - 1) * perPage} limit ${perPage}`,
  ])
  const total = count?.total ?? 0
  return { data: [...data], page, per_page: perPage, total, total_pages: Math.ceil(total / perPage) }
}

/**
 * The search as a query that matches prefixes: each quote that ends a word gets `:*` after it. A minus
 * without a word is removed, since Postgres throws at more than 32 of them in a row.
 */
function prefixQuery(sql: Context['sql'], search: string) {
  const text = search.replaceAll(/-(?![\p{L}\p{N}"])/gu, ' ')
  return sql`regexp_replace(websearch_to_tsquery('simple', ${text})::text, $$'(?=[ )]|$)$$, $$':*$$, 'g')::tsquery`
}
