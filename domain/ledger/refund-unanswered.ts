import { setTimeout as sleep } from 'node:timers/promises'
import { isTransient } from '../../platform/postgres/transient-errors.ts'
import type { Settlement } from './commit-item.ts'
import type { Ledger } from './ledger.ts'

/** What cannot be refunded yet is tried again after so long, then up to so long, in milliseconds. */
const firstRestMs = 100
const longestRestMs = 2_000

/**
 * Refunds a settled request whose client was refused meanwhile, since its settlement took too long, where Postgres has
 * charged it all the same: its word was lost, or came late. Where it was not charged nothing happens. Waits while the
 * request runs again under its Idempotency-Key: an answer then is what the charge is for. Never throws.
 */
export async function refundUnanswered(ledger: Ledger, { record, mayBeCharged }: Settlement): Promise<void> {
  if (!mayBeCharged) return
  const { sql, ids, log } = ledger.context
  const { accountId, requestId } = record
  const arrivedAt = new Date(record.startedAt)
  for (let restMs = firstRestMs; ; restMs = Math.min(restMs * 2, longestRestMs)) {
    try {
      const [row] = await sql<{ refunded: bigint | null }[]>`
        select refund_request(${accountId}, ${arrivedAt}, ${requestId}, ${ids.tagged('txn_')}) as refunded`
      const refunded = row?.refunded ?? undefined
      if (refunded)
        log.warn({ requestId, refundedNanos: refunded.toString() }, 'a refused request is refunded')
      if (refunded !== undefined) return
    } catch (error) {
      if (!isTransient(error))
        return log.error({ err: error, requestId }, 'a refused request was not refunded')
    }
    await sleep(restMs)
  }
}
