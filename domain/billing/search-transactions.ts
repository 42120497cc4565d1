import { type KeysetOrder, keyset, type Position, type Slice } from '../../platform/postgres/keyset.ts'
import type { Context } from '../context.ts'
import { matchTransactions, scanTransactions, type TransactionFilter } from './transaction-filter.ts'

/** The IDs of the transactions that a search found. */
export interface FoundIds {
  ids: string[]
  /** Where the search ended if it found too few and did not reach the end of the list. */
  endedAt?: Position | undefined
}

/**
 * Maximum number of transactions that one statement reads. The first statement reads a page, each further one four
 * times as many as the one before.
 */
const maxRows = 2_000

/** Duration after which a search starts no further statement, in milliseconds. */
const searchBudgetMs = 100

/**
 * Searches the transactions of an account in the order of their IDs, step by step: no index has them by key, because
 * each charge would have to be written to it. Returns the first `slice.limit` IDs that match, or what was found after
 * 100 ms. Ignores `slice.offset`.
 */
export async function searchTransactions(
  { sql, clock }: Pick<Context, 'sql' | 'clock'>,
  args: { accountId: string; filter: TransactionFilter; slice: Slice; order: KeysetOrder },
): Promise<FoundIds> {
  const { accountId, filter, order } = args
  const isUp = args.slice.fromEnd ?? false
  const startedAt = clock.monotonic()
  const ids: string[] = []
  let slice: Slice = { ...args.slice, offset: 0 }
  for (;;) {
    const { where, end } = keyset(sql, order, slice)
    const [step] = await sql<Step[]>`
      select coalesce(array_agg(id order by id ${isUp ? sql`asc` : sql`desc`}) filter (where is_match), '{}') as ids,
        count(*)::int as rows, ${isUp ? sql`max(id)` : sql`min(id)`} as last
      from (
        select id, ${matchTransactions(sql, filter)} as is_match
        from transactions where ${scanTransactions(sql, accountId, filter)} ${where} ${end}
      ) step`
    ids.push(...(step?.ids ?? []).slice(0, args.slice.limit - ids.length))
    if (!step?.last || step.rows < slice.limit || ids.length === args.slice.limit) return { ids }
    const endedAt = [step.last]
    if (clock.monotonic() - startedAt > searchBudgetMs) return { ids, endedAt }
    slice = { ...slice, limit: Math.min(slice.limit * 4, maxRows), [isUp ? 'before' : 'after']: endedAt }
  }
}

interface Step {
  ids: string[]
  rows: number
  last: string | null
}
