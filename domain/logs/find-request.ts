import type { Context } from '../context.ts'
import { type RequestLog, requestLogColumns } from './request-log.ts'

/** A request is logged at the moment of its arrival, which its id carries; the clocks may be this far apart. */
const slackMs = 60_000

/**
 * Finds one request of an account with all its figures, or undefined. Its id says when it arrived, so one or two
 * daily partitions are looked at, however long the log is.
 */
export async function findRequest(
  { sql }: Pick<Context, 'sql'>,
  { accountId, requestId }: { accountId: string; requestId: string },
): Promise<RequestLog | undefined> {
  const arrivedMs = arrivalOf(requestId)
  if (arrivedMs === undefined) return undefined
  const [row] = await sql<RequestLog[]>`
    select ${requestLogColumns(sql)} from request_logs
    where account_id = ${accountId} and id = ${requestId}
      and created_at between ${new Date(arrivedMs - slackMs)} and ${new Date(arrivedMs + slackMs)}`
  return row
}

/** After the year 9999 dates are written differently, and Postgres does not read them. */
const lastMs = Date.UTC(9999, 11, 31)

/** The milliseconds since 1970 that open the UUID v7 in an id (`platform/ids.ts`); undefined where there are none. */
function arrivalOf(requestId: string): number | undefined {
  const [, milliseconds] = /([0-9a-f]{12})7[0-9a-f]{19}$/.exec(requestId.replaceAll('-', '')) ?? []
  const arrivedMs = Number.parseInt(milliseconds ?? '', 16)
  return arrivedMs < lastMs ? arrivedMs : undefined
}
