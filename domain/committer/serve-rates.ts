import { dropOldest } from '../../platform/drop-oldest.ts'
import { checkRate, correctTokens } from '../rates/check-rate.ts'
import { type RequestOf, rateOf, resultFields } from './messages.ts'
import type { ServedEdge } from './served-edge.ts'

/** Maximum number of late results that are kept for an edge process. */
const maxLateResults = 10_000

/** Checks a request of an edge process against its limits. */
export function checkFor(edge: ServedEdge, [, call, fields]: RequestOf<'check'>): void {
  void checkRate(edge.committer.rates, rateOf(fields)).then(result => {
    if (result.late) {
      edge.lateResults.set(call, result.late)
      dropOldest(edge.lateResults, maxLateResults)
    }
    edge.messages.send(['checked', call, resultFields(result, result.late ? call : 0)])
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
