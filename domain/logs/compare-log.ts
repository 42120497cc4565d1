import { dayMs } from '../../platform/clock.ts'
import { lowestUuid } from '../../platform/ids.ts'
import type { Context } from '../context.ts'
import { carryRequests } from './carry-requests.ts'
import type { LogDatabases } from './log-database.ts'

/** A span of time in which the cost of an account's requests in the log database differs from what they were charged. */
export interface LogDifference {
  accountId: string
  since: Date
  until: Date
  chargedNanos: bigint
  loggedNanos: bigint
}

/**
 * The spans of comparison, by the first seven hex digits of a request's ID. An ID begins with 12 digits of milliseconds
 * (`platform/ids.ts`), so a span is 2^20 ms, 17 minutes.
 */
const [spanDigits, spanMs] = [7, 2 ** 20]

/** Charges of requests that arrived in this period are compared, in days. The log is kept for two months. */
const comparedDays = 50

/** A difference that was compared again. */
export interface ReconciledLog extends LogDifference {
  /** Whether the databases still differ, after waiting requests were carried. */
  isLeft: boolean
}

/** A page of accounts, in the order of their IDs. */
interface AccountPage {
  after?: string | undefined
  limit: number
}

/**
 * Compares a page of accounts, carries the requests that wait, and compares again. With `isRepaired`, requests that the main
 * database still has are carried again. Resolves to the differences and the last account; undefined if no account was left.
 */
export async function reconcileLog(
  databases: LogDatabases & Pick<Context, 'clock'>,
  { isRepaired, ...page }: AccountPage & { isRepaired: boolean },
): Promise<{ differences: ReconciledLog[]; lastAccountId: string | undefined }> {
  const { differences, lastAccountId } = await compareLog(databases, page)
  if (differences.length === 0) return { differences: [], lastAccountId }
  if (isRepaired) for (const difference of differences) await noteAgain(databases, difference)
  await carryRequests(databases)
  const nameOf = ({ accountId, since }: LogDifference) => `${accountId} ${since.getTime()}`
  const left = new Set((await compareLog(databases, page)).differences.map(nameOf))
  const compared = differences.map(difference => ({ ...difference, isLeft: left.has(nameOf(difference)) }))
  return { differences: compared.filter(({ isLeft }) => isLeft || isRepaired), lastAccountId }
}

/** The cost of an account's requests in a span. */
interface Span {
  accountId: string
  span: string
  requests: number
  nanos: bigint
}

/**
 * Compares the requests in the log database with the charges in the main database, for the `limit` accounts that follow
 * `after` in the order of their IDs. Requests of the last 17 to 35 minutes are not compared, because some are not
 * carried yet. Resolves to the differences and the last account; undefined if no account was left.
 */
async function compareLog(
  { sql, logs }: LogDatabases,
  { after = lowestUuid, limit }: AccountPage,
): Promise<{ differences: LogDifference[]; lastAccountId: string | undefined }> {
  const accounts = await sql<{ id: string; isErased: boolean; now: Date }[]>`
    select id, erased_at is not null as "isErased", now() as now from accounts
    where id > ${after} order by id limit ${limit}`
  const ids = accounts.filter(({ isErased }) => !isErased).map(({ id }) => id)
  const nowMs = accounts[0]?.now.getTime() ?? 0
  const first = spanOf(nowMs - comparedDays * dayMs)
  const last = spanOf(nowMs - spanMs)
  // A request is charged after its arrival, so the charges of the first span are at most one day older.
  const charged = await sql<Span[]>`
    select "accountId", span, count(*)::integer as requests, sum(nanos)::bigint as nanos from (
      select account_id as "accountId", left(right(request_id, 32), ${spanDigits}) as span, -sum(credits_nanos) as nanos
      from transactions
      where account_id = any(${ids}::uuid[]) and request_id is not null
        and created_at > now() - ${`${comparedDays + 1} days`}::interval
      group by account_id, request_id having sum(credits_nanos) <> 0
    ) charge where span > ${first} and span < ${last} group by 1, 2`
  const logged = await logs<Span[]>`
    select account_id as "accountId", left(right(id, 32), ${spanDigits}) as span, count(*)::integer as requests,
      sum(cost_nanos)::bigint as nanos
    from request_logs
    where account_id = any(${ids}::uuid[]) and cost_nanos <> 0
      and created_at > now() - ${`${comparedDays + 1} days`}::interval
      and left(right(id, 32), ${spanDigits}) > ${first} and left(right(id, 32), ${spanDigits}) < ${last}
    group by 1, 2`
  return { differences: differencesOf(charged, logged), lastAccountId: accounts.at(-1)?.id }
}

function spanOf(ms: number): string {
  return Math.floor(ms).toString(16).padStart(12, '0').slice(0, spanDigits)
}

function differencesOf(charged: readonly Span[], logged: readonly Span[]): LogDifference[] {
  const nameOf = ({ accountId, span }: Span) => `${accountId} ${span}`
  const [charges, logs] = [charged, logged].map(spans => new Map(spans.map(span => [nameOf(span), span])))
  return [...new Set([...charges!.keys(), ...logs!.keys()])].sort().flatMap(name => {
    const [charge, log] = [charges!.get(name), logs!.get(name)]
    if (charge?.nanos === log?.nanos && charge?.requests === log?.requests) return []
    const [accountId = '', span = ''] = name.split(' ')
    const sinceMs = Number.parseInt(span, 16) * spanMs
    return {
      accountId,
      since: new Date(sinceMs),
      until: new Date(sinceMs + spanMs),
      chargedNanos: charge?.nanos ?? 0n,
      loggedNanos: log?.nanos ?? 0n,
    }
  })
}

/** Maximum difference between a request's time of arrival and the time in its ID, in seconds (`request-log.ts`). */
const maxClockSkew = '60 seconds'

/** Maximum number of requests of a note. A span of a busy account has more than one message to the log database can hold. */
const noteRequests = 1_000

/**
 * Notes the requests of a difference that the main database still has, so that they are carried again. A note is never
 * split between batches, so each has at most `noteRequests`.
 */
async function noteAgain(
  { sql }: Pick<LogDatabases, 'sql'>,
  { accountId, since, until }: LogDifference,
): Promise<void> {
  await sql`
    insert into changed_requests (account_ids, arrived_at, ids)
    select array_agg(account_id), array_agg(created_at), array_agg(id) from (
      select account_id, created_at, id, (row_number() over (order by created_at, id) - 1) / ${noteRequests} as note
      from request_logs
      where account_id = ${accountId} and created_at between ${since}::timestamptz - ${maxClockSkew}::interval
        and ${until}::timestamptz + ${maxClockSkew}::interval
    ) r group by note`
}
