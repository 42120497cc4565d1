import type { Extension } from '../ledger/extend-reservation.ts'
import type { Reservation } from '../ledger/hold.ts'
import type { CurrentKey } from '../ledger/renew-reservation.ts'
import type { RequestRecord } from '../ledger/request-record.ts'
import type { ReserveRequest, RevisedAmount } from '../ledger/reserve.ts'
import type { SettleOptions } from '../ledger/settle.ts'
import type { RateRequest, RateResult } from '../rates/window.ts'

/** The ledger and the rates that requests use: of this process, or of the machine's committer process. */
export interface Committer {
  readonly ledger: RequestLedger
  readonly rates: RequestRates
  /** Whether it responds. */
  readonly isAvailable: boolean
  /** Waits for running settlements, and releases every hold. */
  close(): Promise<void>
}

/** The operations of the ledger that requests use. Each is documented where `domain/ledger` implements it. */
export interface RequestLedger {
  /** The ID of this process's row in `processes`. It changes when the process is considered dead. */
  readonly processId: string
  /** Background work that must end before the process does. */
  readonly unfinished: Set<Promise<void>>
  reserve(request: ReserveRequest): Promise<Reservation>
  extend(reservation: Reservation, extension: Extension): Promise<bigint>
  renew(reservation: Reservation | undefined, key: CurrentKey): Promise<void> | undefined
  settle(
    reservation: Reservation | undefined,
    record: RequestRecord,
    options?: SettleOptions,
  ): Promise<bigint>
  recallHeadroom(accountId: string): void
}

/**
 * The operations of the rates that requests use, as `domain/rates/check-rate.ts` implements them. `check` throws
 * `unavailable` if the committer process does not respond; `correct` never throws.
 */
export interface RequestRates {
  /** Checks a request, and reserves its amount as `checkThenReserve` does. */
  check(request: RateRequest, amount?: RevisedAmount): Promise<CheckedRequest>
  correct(counted: CountedTokens): Promise<void>
}

/** The result of a rate check, with the money that was reserved with it. */
export interface CheckedRequest extends RateResult {
  reservation?: Reservation | undefined
}

/** A counted request whose usage is known. */
export interface CountedTokens {
  request: RateRequest
  result: RateResult
  tokens: number
}
