import { answerTimeoutMs } from '../ledger/ledger.ts'
import type { RequestRecord } from '../ledger/request-record.ts'
import { lateProblem } from '../ledger/settle.ts'
import type { Link } from './link.ts'
import { problemOf, type ReplyOf, type ReservationFields } from './messages.ts'
import { type RecordFields, recordFields } from './record-fields.ts'
import { type RemoteReservation, reservationFields } from './reservation-fields.ts'

interface Pending {
  readonly call: number
  readonly record: RequestRecord
  readonly fields: RecordFields
  readonly reservation: ReservationFields | null
  readonly isDelivered: boolean
  /** When it began, by the monotonic clock. */
  readonly since: number
  /** Whether a committer may have it. */
  wasSent: boolean
  isGivenUp: boolean
  /** Whether the client got an error in place of the answer. */
  isUnanswered: boolean
  resolve(chargedNanos: bigint): void
  reject(error: Error): void
}

/** The settlements that no committer has confirmed. They are repeated to its successors until one reports the end. */
export class RemoteSettlements {
  readonly #link: () => Link
  readonly #now: () => number
  readonly #pending = new Map<number, Pending>()

  constructor(link: () => Link, now: () => number) {
    this.#link = link
    this.#now = now
  }

  get count(): number {
    return this.#pending.size
  }

  /**
   * Settles a request. Resolves to the charged amount when it is durable. Throws the errors of `settle` in
   * `domain/ledger/settle.ts`.
   */
  settle(
    reservation: RemoteReservation | undefined,
    record: RequestRecord,
    isDelivered: boolean,
  ): Promise<bigint> {
    const link = this.#link()
    return new Promise((resolve, reject) => {
      const call = link.nextCall()
      const fields = recordFields(record)
      const wasSent = link.isConnected
      this.#pending.set(call, {
        ...{ call, record, fields, isDelivered, wasSent, resolve, reject },
        reservation: reservation ? reservationFields(reservation) : null,
        since: this.#now(),
        isGivenUp: false,
        isUnanswered: false,
      })
      link.send(['settle', call, reservation?.number ?? null, fields, isDelivered])
    })
  }

  /** Handles a reply about a settlement. Returns false if there is no such settlement. */
  received(reply: ReplyOf<'settled' | 'failed' | 'over'>): boolean {
    const settlement = this.#pending.get(reply[1])
    if (!settlement) return false
    if (reply[0] === 'failed') {
      // The committer continues the settlement, and reports when it has ended.
      markGivenUp(settlement)
      settlement.reject(problemOf(reply[2]))
      return true
    }
    // A charge that the client does not know is refunded, which the committer reports.
    if (reply[0] === 'settled' && settlement.isUnanswered) return true
    this.#pending.delete(settlement.call)
    if (reply[0] === 'over') return true
    const chargedNanos = BigInt(reply[2])
    settlement.record.costNanos = chargedNanos
    settlement.resolve(chargedNanos)
    return true
  }

  /** Sends all settlements to a committer that was started since. Those that it finds in the log are not charged again. */
  repeat(): void {
    for (const settlement of this.#pending.values()) {
      const { call, reservation, fields, isDelivered, isUnanswered } = settlement
      settlement.wasSent = true
      this.#link().send(['repeat', call, reservation, [fields, isDelivered, isUnanswered]])
    }
  }

  /**
   * Ends all settlements after the connection was lost and the same committer accepted it again: the committer continues
   * settlements of delivered answers, and takes back the others.
   */
  abandon(): void {
    for (const settlement of this.#pending.values())
      settlement.reject(lateProblem({ ...settlement, mayBeCharged: settlement.wasSent }))
    this.#pending.clear()
  }

  /** Gives up settlements that take too long: the waiting calls fail, and the settlements continue. */
  giveUpLate(): void {
    for (const settlement of this.#pending.values()) {
      if (this.#now() - settlement.since <= answerTimeoutMs) break
      if (!settlement.isGivenUp) this.#giveUp(settlement)
    }
  }

  #giveUp(settlement: Pending): void {
    const { call, record, wasSent } = settlement
    markGivenUp(settlement)
    settlement.reject(lateProblem({ ...settlement, mayBeCharged: wasSent }))
    const { accountId, requestId, startedAt } = record
    if (settlement.isUnanswered) this.#link().send(['unanswered', call, [accountId, requestId, startedAt]])
  }
}

function markGivenUp(settlement: Pending): void {
  settlement.isGivenUp = true
  settlement.isUnanswered = !settlement.isDelivered && settlement.record.status === 200
}
