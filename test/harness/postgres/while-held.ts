import { vi } from 'vitest'
import type { Sql } from '../../../platform/postgres/open-postgres.ts'

/**
 * Holds the row of a user while requests begin, one after the other has come to wait for it. Then they get the row in
 * this order. Returns their answers.
 */
export async function whileHeld<Answer>(
  sql: Sql,
  email: string,
  requests: (() => Promise<Answer>)[],
): Promise<Answer[]> {
  const holder = await sql.reserve()
  await holder`begin`
  await holder`select from users where email = ${email} for no key update`
  const answers: Promise<Answer>[] = []
  try {
    for (const request of requests) {
      answers.push(request())
      await vi.waitUntil(
        async () => {
          const [waiting] = await sql`
            select count(*)::int as count from pg_stat_activity
            where wait_event_type = 'Lock' and datname = current_database()`
          return waiting?.count === answers.length
        },
        { timeout: 4_000 },
      )
    }
  } finally {
    await holder`rollback`
    holder.release()
  }
  return Promise.all(answers)
}
