import type { Sql } from '../../platform/postgres/open-postgres.ts'
import type { Context } from '../context.ts'
import { addCount, bucketOf } from './latency-buckets.ts'

/** A request that was answered. */
export interface AnsweredRequest {
  accountId: string
  keyId: string
  /** The UTC day on which it arrived, as YYYY-MM-DD. */
  day: string
  model: string
  durationMs: number
  /** The time until the first byte of a streamed response; null for other responses. */
  firstByteMs: number | null
}

interface Counts extends Pick<AnsweredRequest, 'accountId' | 'keyId' | 'day' | 'model'> {
  /** The numbers of requests by bucket. */
  durations: number[]
  firstBytes: number[]
}

/** Maximum number of days, keys and models that are counted until the next post. It bounds memory if Postgres is unavailable. */
const maxWaiting = 20_000
/** Number of rows that one statement writes. */
const rowsAtOnce = 500

/** Interval at which latencies are posted, in milliseconds. */
const postIntervalMs = 5_000

/**
 * How long requests took, counted in memory, so that no request waits for it. Every few seconds, the counts are added to
 * `usage_latencies`. A process that dies loses what it has not posted.
 */
export interface LatencyCounts {
  /** Counts a request. Does nothing if too much waits already. */
  add(request: AnsweredRequest): void
  /** Writes what was counted. If that fails, throws, and the next call writes it. */
  post(): Promise<void>
  /** Stops, and writes what was counted. Never throws. */
  close(): Promise<void>
}

/** Opens the counts of a process. */
export function openLatencyCounts({ sql, log }: Pick<Context, 'sql' | 'log'>): LatencyCounts {
  const waiting = new Map<string, Counts>()
  const post = () => postCounts(sql, waiting)
  const postOrWarn = () =>
    post().catch(error => log.warn({ err: error }, 'posting latencies failed, and is repeated'))
  const timer = setInterval(() => void postOrWarn(), postIntervalMs).unref()
  return {
    add: request => countRequest(waiting, request),
    post,
    async close() {
      clearInterval(timer)
      await postOrWarn()
    },
  }
}

function countRequest(waiting: Map<string, Counts>, request: AnsweredRequest): void {
  const { accountId, keyId, day, model, durationMs, firstByteMs } = request
  const name = `${keyId} ${day} ${model}`
  let counts = waiting.get(name)
  if (!counts) {
    if (waiting.size >= maxWaiting) return
    counts = { accountId, keyId, day, model, durations: [], firstBytes: [] }
    waiting.set(name, counts)
  }
  addCount(counts.durations, bucketOf(durationMs))
  if (firstByteMs !== null) addCount(counts.firstBytes, bucketOf(firstByteMs))
}

async function postCounts(sql: Sql, waiting: Map<string, Counts>): Promise<void> {
  // In one order, so that processes that write the same rows never wait for each other.
  const rows = [...waiting].sort(([one], [other]) => (one < other ? -1 : 1))
  for (let first = 0; first < rows.length; first += rowsAtOnce) {
    const some = rows.slice(first, first + rowsAtOnce)
    for (const [name] of some) waiting.delete(name)
    try {
      await write(
        sql,
        some.map(([, counts]) => counts),
      )
    } catch (error) {
      for (const [name, counts] of some) restore(waiting, name, counts)
      throw error
    }
  }
}

/** Adds counts that were not written to what was counted since. */
function restore(waiting: Map<string, Counts>, name: string, counts: Counts): void {
  const since = waiting.get(name)
  if (!since) waiting.set(name, counts)
  else for (const list of ['durations', 'firstBytes'] as const) addAll(since[list], counts[list])
}

function addAll(counts: number[], others: readonly number[]): void {
  for (const [bucket, count] of others.entries()) addCount(counts, bucket, count)
}

async function write(sql: Sql, rows: readonly Counts[]): Promise<void> {
  await sql`
    insert into usage_latencies as l (account_id, day, api_key_id, model, durations, first_bytes)
    select "accountId", day, "keyId", model, durations, "firstBytes"
    from json_to_recordset(${JSON.stringify(rows)}::text::json)
      as r ("accountId" uuid, day date, "keyId" uuid, model text, durations integer[], "firstBytes" integer[])
    on conflict (account_id, day, api_key_id, model) do update set
      durations = add_counts(l.durations, excluded.durations),
      first_bytes = add_counts(l.first_bytes, excluded.first_bytes)`
}
