import type { RequestRates } from './committer.ts'
import type { Link } from './link.ts'
import { amountFields, rateFields, resultOf } from './messages.ts'
import type { RemoteReservation } from './reservation-fields.ts'

/** Returns the operations of the committer's rates. `reservations` gets what checks reserve. */
export function remoteRates(link: Link, reservations: Map<number, RemoteReservation>): RequestRates {
  /** The calls of results that the committer decided by itself and for which it keeps the late result of Redis. */
  const lateCalls = new WeakMap<object, number>()
  return {
    async check(request, amount) {
      const fields = [rateFields(request), amount ? amountFields(amount) : null] as const
      const reply = await link.call(call => ['check', call, ...fields])
      if (reply[0] !== 'checked') throw new Error(`unexpected reply ${reply[0]} of the committer`)
      const result = resultOf(reply[2])
      const [, number, , reserved] = reply
      const late = reply[2][5]
      if (late > 0) lateCalls.set(result, late)
      if (!reserved) return result
      const [amountNanos, revision] = [BigInt(reserved[0]), BigInt(reserved[1])]
      const owner = { accountId: request.accountId, keyId: request.keyId }
      const reservation = { number, owner, amountNanos, revision }
      reservations.set(number, reservation)
      return { ...result, reservation }
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
