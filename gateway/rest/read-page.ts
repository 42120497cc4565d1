import { isRecord } from '../../platform/checks.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import { maxPaged, maxPageSize, offsetCursor } from '../../subgraphs/runtime/connections.ts'
import type { PageField } from './routes/route.ts'

/** A numbered page of a REST list. It is read as a slice of a connection. */
export interface NumberedPage {
  page: number
  perPage: number
}

/**
 * Parses `page` and `per_page`. Throws `validation_failed` for a value that is not an integer, for a size that is not 1
 * to 100, and for a page beyond the first 100,000 items.
 */
export function readPage(query: URLSearchParams): NumberedPage {
  const page = readNumber(query, 'page', 1)
  const perPage = readNumber(query, 'per_page', 20)
  if (perPage < 1 || perPage > maxPageSize) refuseParam('per_page', `must be 1 to ${maxPageSize}`)
  const lastPage = Math.floor(maxPaged / perPage)
  if (page >= 1 && page <= lastPage) return { page, perPage }
  return refuseParam(
    'page',
    `must be 1 to ${lastPage} with ${perPage} items per page. Pages reach the first ${maxPaged} items`,
  )
}

/** Returns the arguments of a connection for a page. */
export function sliceOfPage({ page, perPage }: NumberedPage): { first: number; after: string | null } {
  return { first: perPage, after: page > 1 ? offsetCursor((page - 1) * perPage) : null }
}

/** Presents a connection with `data` and `total_count` as a numbered page. */
export function presentPage(
  answer: unknown,
  { page, perPage }: NumberedPage,
  shown: readonly PageField[],
): unknown {
  if (!isRecord(answer)) return answer
  const total = Number(answer.total_count)
  const fields = { total, page, per_page: perPage, total_pages: Math.ceil(total / perPage) }
  return { data: answer.data, ...Object.fromEntries(shown.map(name => [name, fields[name]])) }
}

function readNumber(query: URLSearchParams, name: string, otherwise: number): number {
  const text = query.get(name)
  if (text === null) return otherwise
  const value = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (Number.isInteger(value) && Math.abs(value) <= 2_147_483_647) return value
  return refuseParam(name, 'must be a whole number of at most 2147483647')
}
