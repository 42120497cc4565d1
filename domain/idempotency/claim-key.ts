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
  const [claimed] = await sql<{ request_id: string; started_at: Date }[]>`
    insert into idempotency_keys as k (account_id, key, fingerprint, process_id, request_id, started_at)
    values (${claim.accountId}, ${claim.key}, ${claim.fingerprint}, ${claim.processId}, ${claim.requestId},
      ${new Date(claim.startedAt)})
    on conflict (account_id, key) do update set
      process_id = excluded.process_id,
      (request_id, started_at) = (
        select case when is_spent then excluded.request_id else k.request_id end,
          case when is_spent then excluded.started_at else k.started_at end
        from (select exists (
          select 1 from request_logs l where l.account_id = k.account_id and l.created_at = k.started_at
            and l.id = k.request_id and l.cost_nanos = 0
        ) and not exists (
          select 1 from tasks t where t.account_id = k.account_id and t.id = replace(k.request_id, 'req_', 'task_')
            and t.status <> 'cancelled'
        ) as is_spent) earlier)
      where k.status is null and k.fingerprint = excluded.fingerprint and not exists (
        select 1 from processes p where p.id = k.process_id and p.heartbeat_at > now() - ${deadAfter}::interval)
    returning request_id, started_at`
  if (claimed) return { state: 'run', requestId: claimed.request_id, startedAt: claimed.started_at.getTime() }

  const [row] = await sql<Row[]>`
    select fingerprint, request_id, started_at, status, content_type, body from idempotency_keys
    where account_id = ${claim.accountId} and key = ${claim.key}`
  if (!row) return claimKey({ sql }, claim) // it was released in between
  if (!claim.fingerprint.equals(row.fingerprint))
    throw new Problem('idempotency_conflict', { param: 'Idempotency-Key' })
  if (row.status === null) return { state: 'running' }
  return {
    state: 'answered',
    answer: {
      status: row.status,
      contentType: row.content_type ?? 'application/json',
      body: row.body ?? Buffer.alloc(0),
    },
  }
}
