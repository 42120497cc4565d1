import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'

/** A request under an `Idempotency-Key`. */
export interface Claim {
  accountId: string
  /** The ID of the API key and the client's `Idempotency-Key`, so that no API key gets the response of another. */
  key: string
  /** The SHA-256 of path and body. A different request with the same key is a conflict. */
  fingerprint: Buffer
  /** The ID of the ledger process that runs the request. */
  processId: string
  requestId: string
  /** Milliseconds since 1970. */
  startedAt: number
}

/** A stored response. */
export interface KeptAnswer {
  status: number
  contentType: string
  body: Uint8Array
}

/** The result of a claim: this process runs the request, another one does, or its response is stored. */
export type Claimed =
  /** This process runs the request, with this ID and time. */
  | { state: 'run'; requestId: string; startedAt: number }
  | { state: 'answered'; answer: KeptAnswer }
  /** Another process that is alive runs the request. */
  | { state: 'running' }

interface Row {
  fingerprint: Uint8Array
  request_id: string
  started_at: Date
  status: number | null
  content_type: string | null
  body: Uint8Array | null
  process_id: string
  /** Whether the process that runs the request is alive. */
  is_running: boolean
}

/** Time without a heartbeat after which a process counts as dead, and its requests are taken over. */
const deadAfter = '10 seconds'

/**
 * Claims a key. The first request with the key runs, and the others get its response. If the process of a request died
 * or gave it up, another process takes the request over. It keeps ID and time, so that it is charged once, whichever
 * process ends it. It gets a new ID if it was already settled at no cost, because the next response would otherwise be
 * free. A request that submitted a task keeps its ID whatever the task's outcome, unless the task was cancelled. Throws
 * `idempotency_conflict` for a different request with the same key.
 */
export async function claimKey({ sql }: Pick<Context, 'sql'>, claim: Claim): Promise<Claimed> {
  const { accountId, key, processId } = claim
  const startedAt = new Date(claim.startedAt)
  const { count } = await sql`
    insert into idempotency_keys (account_id, key, fingerprint, process_id, request_id, started_at)
    values (${accountId}, ${key}, ${claim.fingerprint}, ${processId}, ${claim.requestId}, ${startedAt})
    on conflict (account_id, key) do nothing`
  if (count > 0) return { state: 'run', requestId: claim.requestId, startedAt: claim.startedAt }

  const [row] = await sql<Row[]>`
    select fingerprint, request_id, started_at, status, content_type, body, process_id, exists (
      select from processes p where p.id = k.process_id and p.heartbeat_at > now() - ${deadAfter}::interval
    ) as is_running
    from idempotency_keys k where account_id = ${accountId} and key = ${key}`
  if (!row) return claimKey({ sql }, claim) // it was released in between
  if (!claim.fingerprint.equals(row.fingerprint))
    throw new Problem('idempotency_conflict', { param: 'Idempotency-Key' })
  if (row.status === null)
    return row.is_running
      ? { state: 'running' }
      : ((await takeOver(sql, claim, row)) ?? claimKey({ sql }, claim))
  return {
    state: 'answered',
    answer: {
      status: row.status,
      contentType: row.content_type ?? 'application/json',
      body: row.body ?? Buffer.alloc(0),
    },
  }
}

/** Takes a request over from a process that died or gave it up. Resolves to undefined if another process was faster. */
async function takeOver(sql: Context['sql'], claim: Claim, earlier: Row): Promise<Claimed | undefined> {
  const { accountId, key } = claim
  const { request_id: requestId, started_at: startedAt, process_id: processId } = earlier
  const [found] = await sql<{ is_spent: boolean }[]>`
    select coalesce((logged_before(${accountId}, ${startedAt}, ${requestId})).cost_nanos = 0, false) and not exists (
      select from tasks t where t.account_id = ${accountId} and t.id = ${requestId.replace('req_', 'task_')}
        and t.status <> 'cancelled'
    ) as is_spent`
  const next = found?.is_spent
    ? { requestId: claim.requestId, startedAt: new Date(claim.startedAt) }
    : { requestId, startedAt }
  const { count } = await sql`
    update idempotency_keys
    set process_id = ${claim.processId}, request_id = ${next.requestId}, started_at = ${next.startedAt}
    where account_id = ${accountId} and key = ${key} and process_id = ${processId} and request_id = ${requestId}
      and status is null`
  return count > 0
    ? { state: 'run', requestId: next.requestId, startedAt: next.startedAt.getTime() }
    : undefined
}
