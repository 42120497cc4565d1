import { dropOldest } from '../../platform/drop-oldest.ts'
import { reserveAtOnce } from '../ledger/reserve.ts'
import { correctTokens } from '../rates/check-rate.ts'
import { checkThenReserve } from './check-then-reserve.ts'
import { amountOf, type RequestOf, rateOf, resultFields } from './messages.ts'
import { keepReservation } from './serve-reservations.ts'
import type { ServedEdge } from './served-edge.ts'

/** Maximum number of late results that are kept for an edge process. */
const maxLateResults = 10_000

/** Checks a request of an edge process against its limits, and reserves its amount if it can be reserved at once. */
export function checkFor(edge: ServedEdge, [, call, fields, stated]: RequestOf<'check'>): void {
  const { rates, ledger } = edge.committer
  void checkThenReserve(rates, rateOf(fields), {
    amount: stated ? amountOf(stated) : undefined,
    reserve: whole => reserveAtOnce(ledger, whole),
  }).then(({ reservation, ...result }) => {
    if (result.late) {
      edge.lateResults.set(call, result.late)
      dropOldest(edge.lateResults, maxLateResults)
    }
    if (reservation) keepReservation(edge, call, reservation)
    edge.messages.send([
      ...(['checked', call, resultFields(result, result.late ? call : 0)] as const),
      reservation ? [String(reservation.amountNanos), String(reservation.revision)] : null,
    ])
  })
}

/** Corrects the token windows of a request whose usage is known. */
export function correctFor(
  edge: ServedEdge,
  [, fields, [isLocal, countedAt, call], tokens]: RequestOf<'correct'>,
): void {
  const late = edge.lateResults.get(call)
  edge.lateResults.delete(call)
  const result = { ...counted, revision: isLocal ? null : undefined, countedAt, ...(late && { late }) }
  void correctTokens(edge.committer.rates, { request: rateOf(fields), result, tokens })
}

const counted = {
  refusedBy: undefined,
  waitMs: 0,
  left: { burst: null, rpm: null, tph: null, tpd: null, account: null },
} as const
