import type { RequestRates } from './committer.ts'
import type { Link } from './link.ts'
import { rateFields, resultOf } from './messages.ts'

/** Returns the operations of the committer's rates. */
export function remoteRates(link: Link): RequestRates {
  /** The calls of results that the committer decided by itself and for which it keeps the late result of Redis. */
  const lateCalls = new WeakMap<object, number>()
  return {
    async check(request) {
      const reply = await link.call(call => ['check', call, rateFields(request)])
      if (reply[0] !== 'checked') throw new Error(`unexpected reply ${reply[0]} of the committer`)
      const result = resultOf(reply[2])
      const late = reply[2][5]
      if (late > 0) lateCalls.set(result, late)
      return result
    },
    async correct({ request, result, tokens }) {
      const { tph, tpd } = request.limits
      if (tph === null && tpd === null) return
      const { revision, countedAt } = result
      const late = lateCalls.get(result) ?? 0
      link.send(['correct', rateFields(request), [revision === null, countedAt, late], tokens])
    },
  }
}
