import { expect } from 'vitest'
import type { Sql } from '../../../platform/postgres/open-postgres.ts'

/** Returns the IDs of all requests that were charged and not refunded. Fails if one was charged twice. */
export async function chargedRequests(sql: Sql): Promise<Set<string>> {
  const rows = await sql<{ id: string; entries: number }[]>`
    select request_id as id, sum(case payment_method when 'usage' then 1 else -1 end)::int as entries
    from transactions where request_id is not null group by 1`
  expect(rows.filter(({ entries }) => entries > 1)).toEqual([])
  return new Set(rows.filter(({ entries }) => entries === 1).map(({ id }) => id))
}
