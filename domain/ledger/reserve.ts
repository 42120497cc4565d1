import type { Patience } from '../../platform/patience.ts'
import { type ErrorName, Problem } from '../../schema/errors.ts'
import { maxGrowthNanos, queueGrowth, scheduleExpiry } from './grow-hold.ts'
import {
  type Amounts,
  followRevision,
  freeNanos,
  type HeldReservation,
  type Hold,
  type HoldOwner,
  holdName,
} from './hold.ts'
import { answerTimeoutMs, type Ledger, moneyPatienceMs } from './ledger.ts'
import { beat } from './process-row.ts'
import { queueHoldUpdate } from './recall-headroom.ts'

export interface ReserveRequest extends HoldOwner, Amounts {
  /**
   * The key's revision as the request knows it. Money that was granted under an earlier revision does not serve the
   * request.
   */
  keyRevision?: bigint
  /** Returns more precise amounts. Called if balance or cap cannot cover the amount. */
  whenShort?: () => Amounts
  /** The time that the request may wait for Postgres; 2,000 ms by default. The wait is subtracted. */
  patience?: Patience
  /** Maximum wait for money that other requests in flight hold, in milliseconds; 5,000 by default. */
  patienceMs?: number
}

/**
 * Reserves money for one request from the key's hold: in memory if there is headroom, or else by growing the hold.
 * The reserved amount can be lower than requested, but not below the minimum (docs/behaviour.md, Money). If balance
 * or cap suffice but other requests hold the money, waits until they release it. The same applies to budgets. Throws
 * `insufficient_credits`, `credit_limit_reached`, `budget_limit_reached`, or `unavailable` if Postgres does not respond.
 */
export async function reserve(ledger: Ledger, request: ReserveRequest): Promise<HeldReservation> {
  const { patience = { leftMs: answerTimeoutMs } } = request
  if (ledger.context.clock.monotonic() > ledger.trustedUntil) await beat(ledger, patience)
  return (
    fromHeadroom(ledger, request) ?? waitForGrowth(ledger, holdOf(ledger, request), { ...request, patience })
  )
}

/** Reserves the full amount in memory. Returns undefined if the hold must grow or a heartbeat is due. */
export function reserveAtOnce(
  ledger: Ledger,
  request: HoldOwner & RevisedAmount,
): HeldReservation | undefined {
  return ledger.context.clock.monotonic() > ledger.trustedUntil ? undefined : fromHeadroom(ledger, request)
}

/** An amount that is reserved fully or not at all, under a revision of its key. */
export interface RevisedAmount {
  amountNanos: bigint
  keyRevision: bigint
}

function fromHeadroom(
  ledger: Ledger,
  request: Omit<ReserveRequest, 'minimumNanos'>,
): HeldReservation | undefined {
  const hold = holdOf(ledger, request)
  hold.usedAt = ledger.context.clock.monotonic()
  const { amountNanos } = request
  followRevision(hold, request.keyRevision)
  if (hold.isStale || hold.waiters.length > 0 || freeNanos(hold) < amountNanos) return undefined
  hold.reservedNanos += amountNanos
  return { hold, amountNanos, revision: hold.revision }
}

/**
 * Reserves money again for a request whose hold lapsed while it ran. The hold grows by the missing amount, or by the
 * available amount: unlike `reserve`, it also resolves if that is too little. Throws `unavailable` if Postgres does
 * not respond; nothing is reserved then.
 */
export async function reserveAgain(
  ledger: Ledger,
  { amountNanos, ...owner }: HoldOwner & { amountNanos: bigint },
): Promise<HeldReservation> {
  if (ledger.context.clock.monotonic() > ledger.trustedUntil) await beat(ledger)
  const hold = holdOf(ledger, owner)
  hold.reservedNanos += amountNanos
  if (freeNanos(hold) >= 0n) return { hold, amountNanos, revision: hold.revision }
  try {
    // The growth is complete when the hold's row covers all requests in flight.
    const nothing = { ...owner, amountNanos: 0n, minimumNanos: 0n, patienceMs: 0 }
    await waitForGrowth(ledger, hold, nothing, { backsTheHold: true })
  } catch (error) {
    if (!isShort(error)) {
      hold.reservedNanos -= amountNanos
      throw error
    }
  }
  return { hold, amountNanos, revision: hold.revision }
}

/** A reservation that a request has from an earlier process. */
export interface EarlierReservation extends HoldOwner, Pick<HeldReservation, 'amountNanos' | 'revision'> {}

/**
 * Continues a reservation of an earlier process whose holds this one has adopted (`openLedger`). If the hold has lapsed,
 * the reservation is backed when its request settles.
 */
export function continueReservation(
  ledger: Ledger,
  { amountNanos, revision, ...owner }: EarlierReservation,
): HeldReservation {
  const hold = holdOf(ledger, owner)
  const unclaimed = ledger.unclaimed.get(hold) ?? 0n
  const claimed = unclaimed < amountNanos ? unclaimed : amountNanos
  if (claimed > 0n) ledger.unclaimed.set(hold, unclaimed - claimed)
  hold.reservedNanos += amountNanos - claimed
  followRevision(hold, revision)
  return { hold, amountNanos, revision }
}

/** Ends a reservation whose request will not settle. Nothing is charged or logged. */
export function dropReservation(ledger: Ledger, { hold, amountNanos, revision }: HeldReservation): void {
  hold.reservedNanos -= amountNanos
  if (revision < hold.revision) hold.isStale = true
  queueHoldUpdate(ledger, hold)
}

/** Whether the error means that balance, cap or a budget are too low. */
export function isShort(error: unknown): boolean {
  return error instanceof Problem && shortErrors.has(error.errorName)
}

const shortErrors: ReadonlySet<ErrorName> = new Set([
  'insufficient_credits',
  'credit_limit_reached',
  'budget_limit_reached',
])

/** Returns the hold of an owner in this process. Its row is created by its first growth. */
export function holdOf(ledger: Ledger, owner: HoldOwner): Hold {
  const { accountId, keyId, budgets } = owner
  const name = holdName(owner)
  const known = ledger.holds.get(name)
  if (known) return known
  const hold: Hold = {
    id: ledger.context.ids.uuid(),
    accountId,
    keyId,
    budgets,
    revision: 0n,
    isStale: false,
    amountNanos: 0n,
    rowNanos: 0n,
    reservedNanos: 0n,
    shownNanos: 0n,
    maxHeadroomNanos: 0n,
    lastAheadNanos: 0n,
    lastGrowthAt: -Infinity,
    grantedAt: -Infinity,
    shortOf: undefined,
    retryDelayMs: 0,
    retry: undefined,
    lateCheck: undefined,
    lateCheckAt: Infinity,
    waiters: [],
    growing: false,
    usedAt: ledger.context.clock.monotonic(),
    unpostedModel: undefined,
    collectedAt: -Infinity,
  }
  ledger.holds.set(name, hold)
  return hold
}

function waitForGrowth(
  ledger: Ledger,
  hold: Hold,
  request: ReserveRequest,
  { backsTheHold }: { backsTheHold: boolean } = { backsTheHold: false },
): Promise<HeldReservation> {
  return new Promise((resolve, reject) => {
    const { clock } = ledger.context
    const { patience = { leftMs: answerTimeoutMs } } = request
    if (patience.leftMs <= 0) throw new Problem('unavailable', { retryAfterSeconds: 1 })
    const since = clock.monotonic()
    const answerBy = since + patience.leftMs
    hold.waiters.push({
      amountNanos: request.amountNanos < maxGrowthNanos ? request.amountNanos : maxGrowthNanos,
      minimumNanos: request.minimumNanos,
      backsTheHold,
      whenShort: request.whenShort,
      since,
      answerBy,
      patientUntil: since + (request.patienceMs ?? moneyPatienceMs),
      grant: amountNanos => {
        // Only the wait for Postgres reduces the patience, not the wait for money.
        if (!hold.shortOf) patience.leftMs = Math.max(0, answerBy - clock.monotonic())
        resolve({ hold, amountNanos, revision: hold.revision })
      },
      refuse: reject,
    })
    scheduleExpiry(ledger, hold, answerBy)
    queueGrowth(ledger, hold)
  })
}
