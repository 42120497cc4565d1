import { openPauses } from '../../platform/pauses.ts'
import type { HeldReservation } from '../ledger/hold.ts'
import { momentOf, type RequestRecord } from '../ledger/request-record.ts'
import { dropReservation } from '../ledger/reserve.ts'
import { refundUnanswered, settle } from '../ledger/settle.ts'
import { problemFields, type RequestFields, type RequestOf } from './messages.ts'
import { recordOf } from './record-fields.ts'
import { claim, restate } from './serve-reservations.ts'
import type { RunningSettlement, ServedEdge } from './served-edge.ts'

/** Settles a request of an edge process. */
export function settleFor(
  edge: ServedEdge,
  [, call, number, fields, isDelivered]: RequestOf<'settle'>,
): void {
  const running: RunningSettlement = { item: undefined, isUnanswered: false, hasFailed: false }
  edge.settlements.set(call, running)
  run(edge, call, { running, reservation: claim(edge, number), record: recordOf(fields), isDelivered })
}

interface Run {
  running: RunningSettlement
  reservation: HeldReservation | undefined
  record: RequestRecord
  isDelivered: boolean
}

function run(edge: ServedEdge, call: number, { running, reservation, record, isDelivered }: Run): void {
  const { ledger } = edge.committer
  settle(ledger, reservation, record, {
    isDelivered,
    submitted(item) {
      running.item = item
      if (running.isUnanswered) item.giveUp()
    },
  }).then(
    charged => {
      edge.settlements.delete(call)
      edge.messages.send(['settled', call, String(charged)])
    },
    error => {
      running.hasFailed = true
      edge.messages.send(['failed', call, problemFields(error)])
      reportIfOver(edge, call, running)
    },
  )
}

/** Reports the settlements that had failed because they took too long, and that have ended since. */
export function reportOver(edge: ServedEdge): void {
  for (const [call, running] of edge.settlements) if (running.hasFailed) reportIfOver(edge, call, running)
}

function reportIfOver(edge: ServedEdge, call: number, { item }: RunningSettlement): void {
  if (item && edge.committer.ledger.settling.has(item)) return
  edge.settlements.delete(call)
  edge.messages.send(['over', call])
}

/**
 * Takes back a settlement whose client got an error, because the edge process waited too long for the committer: it is
 * released, or refunded if it is charged already.
 */
export function takeBack(edge: ServedEdge, [, call, request]: RequestOf<'unanswered'>): void {
  const running = edge.settlements.get(call)
  if (running) giveUp(running)
  else refund(edge, call, request)
}

/** Gives up all settlements of an edge process that has died: no client has an answer that was not settled. */
export function giveUpAll({ settlements }: ServedEdge): void {
  for (const running of settlements.values()) giveUp(running)
}

function giveUp(running: RunningSettlement): void {
  running.isUnanswered = true
  if (running.item && !running.item.isGivenUp) running.item.giveUp()
}

function refund(edge: ServedEdge, call: number, [accountId, requestId, startedAt]: RequestFields): void {
  const { ledger } = edge.committer
  const refunding = refundUnanswered(ledger, {
    record: { accountId, requestId, startedAt },
    mayBeCharged: true,
  })
  ledger.unfinished.add(refunding)
  void refunding.finally(() => {
    ledger.unfinished.delete(refunding)
    edge.messages.send(['over', call])
  })
}

/**
 * Settles a request that an earlier committer did not confirm. Nothing of that committer can be committed any more, so
 * the request log shows whether the request was settled. If so, its reservation has ended.
 */
export function repeatSettlement(
  edge: ServedEdge,
  [, call, stated, [fields, isDelivered, isUnanswered]]: RequestOf<'repeat'>,
): void {
  const record = recordOf(fields)
  const running: RunningSettlement = { item: undefined, isUnanswered, hasFailed: false }
  edge.settlements.set(call, running)
  // Claimed now, so that its hold keeps the money while the log is read.
  const reservation = stated ? restate(edge, stated) : undefined
  void findCharge(edge, record).then(charged => {
    if (charged === undefined) return run(edge, call, { running, reservation, record, isDelivered })
    if (reservation) dropReservation(edge.committer.ledger, reservation)
    edge.settlements.delete(call)
    if (running.isUnanswered) refund(edge, call, [record.accountId, record.requestId, record.startedAt])
    else edge.messages.send(['settled', call, String(charged)])
  })
}

/** Minimum and maximum delay before the log is read again, in milliseconds. */
const pausesMs = { firstMs: 50, longestMs: 500 }

/** Returns the charge of a request in the log; undefined if it is not logged. Waits for Postgres. */
async function findCharge({ committer }: ServedEdge, record: RequestRecord): Promise<bigint | undefined> {
  const { sql, log } = committer.context
  const { accountId, requestId } = record
  const pause = openPauses({
    log,
    warning: 'reading a settlement is still being retried',
    details: { requestId },
    ...pausesMs,
  })
  for (;;) {
    try {
      const [row] = await sql<{ cost: bigint }[]>`
        select cost_nanos as cost from request_logs
        where account_id = ${accountId} and created_at = ${new Date(momentOf(record))} and id = ${requestId}`
      return row?.cost
    } catch (error) {
      await pause(error)
    }
  }
}
