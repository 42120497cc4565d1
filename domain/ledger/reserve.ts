import type { Patience } from '../../platform/patience.ts'
import { Problem } from '../../schema/errors.ts'
import { growSoon, maxGrowthNanos, refuseAt } from './grow-hold.ts'
import { type Amounts, followRevision, freeNanos, type Hold, type Reservation } from './hold.ts'
import { answerTimeoutMs, type Ledger, moneyPatienceMs } from './ledger.ts'
import { beat } from './process-row.ts'

export interface ReserveRequest extends Amounts {
  accountId: string
  keyId: string
  /** The key's revision that the request knows. Money that was granted under an earlier one does not serve it. */
  keyRevision?: bigint
  /** Asked where balance or cap cannot cover the amount: the same two, looked at more closely. */
  whenShort?: () => Amounts
  /** The request's patience with Postgres: 2,000 ms. The wait is subtracted. */
  patience?: Patience
  /** How long to wait for money that other requests in flight hold, in milliseconds: 5,000. */
  patienceMs?: number
}

/**
 * Reserves money for one request from the key's hold: in memory where there is headroom, else by growing the
 * hold. The reservation's amount may be less than asked, never less than the minimum (docs/behaviour.md,
 * Money). Where balance or cap have enough, but requests in flight hold it, it waits for what they give back.
 * Throws `insufficient_credits`, `credit_limit_reached`, or `unavailable` when Postgres cannot be asked.
 */
export async function reserve(ledger: Ledger, request: ReserveRequest): Promise<Reservation> {
  const { patience = { leftMs: answerTimeoutMs } } = request
  if (ledger.context.clock.monotonic() > ledger.trustedUntil) await beat(ledger, patience)
  return (
    fromHeadroom(ledger, request) ?? waitForGrowth(ledger, holdOf(ledger, request), { ...request, patience })
  )
}

/** Reserves all of an amount in memory; undefined where that takes more than memory. */
export function reserveAtOnce(ledger: Ledger, request: WholeAmount): Reservation | undefined {
  return ledger.context.clock.monotonic() > ledger.trustedUntil ? undefined : fromHeadroom(ledger, request)
}

/** An amount that is reserved whole or not at all. */
type WholeAmount = Pick<ReserveRequest, 'accountId' | 'keyId' | 'keyRevision' | 'amountNanos'>

function fromHeadroom(ledger: Ledger, request: WholeAmount): Reservation | undefined {
  const hold = holdOf(ledger, request)
  hold.usedAt = ledger.context.clock.monotonic()
  const { amountNanos } = request
  followRevision(hold, request.keyRevision)
  if (hold.isStale || hold.waiters.length > 0 || freeNanos(hold) < amountNanos) return undefined
  hold.reservedNanos += amountNanos
  return { hold, amountNanos, revision: hold.revision }
}

/**
 * Reserves money anew for a request that ran while its hold lapsed. The hold grows by what is missing, or by what
 * there is: unlike `reserve` it answers also where that is too little.
 * Throws `unavailable` when Postgres cannot be asked; nothing is reserved then.
 */
export async function reserveAgain(
  ledger: Ledger,
  { accountId, keyId, amountNanos }: { accountId: string; keyId: string; amountNanos: bigint },
): Promise<Reservation> {
  if (ledger.context.clock.monotonic() > ledger.trustedUntil) await beat(ledger)
  const hold = holdOf(ledger, { accountId, keyId })
  hold.reservedNanos += amountNanos
  if (freeNanos(hold) >= 0n) return { hold, amountNanos, revision: hold.revision }
  try {
    // Nothing more is served once all that is in flight is backed.
    const nothing = { accountId, keyId, amountNanos: 0n, minimumNanos: 0n, patienceMs: 0 }
    await waitForGrowth(ledger, hold, nothing, { backsTheHold: true })
  } catch (error) {
    if (!isShort(error)) {
      hold.reservedNanos -= amountNanos
      throw error
    }
  }
  return { hold, amountNanos, revision: hold.revision }
}

/** Balance or cap have too little. */
export function isShort(error: unknown): boolean {
  return (
    error instanceof Problem &&
    (error.errorName === 'insufficient_credits' || error.errorName === 'credit_limit_reached')
  )
}

/** The hold of a key in this process; its row appears with its first growth. */
function holdOf(ledger: Ledger, { accountId, keyId }: { accountId: string; keyId: string }): Hold {
  const known = ledger.holds.get(keyId)
  if (known) return known
  const hold: Hold = {
    id: ledger.context.ids.uuid(),
    accountId,
    keyId,
    revision: 0n,
    isStale: false,
    amountNanos: 0n,
    rowNanos: 0n,
    reservedNanos: 0n,
    shownNanos: 0n,
    maxHeadroomNanos: 0n,
    lastAheadNanos: 0n,
    lastGrowthAt: -Infinity,
    answeredAt: -Infinity,
    shortOf: undefined,
    restMs: 0,
    retry: undefined,
    lateCheck: undefined,
    lateCheckAt: Infinity,
    capToldAt: -Infinity,
    waiters: [],
    growing: false,
    usedAt: ledger.context.clock.monotonic(),
  }
  ledger.holds.set(keyId, hold)
  return hold
}

function waitForGrowth(
  ledger: Ledger,
  hold: Hold,
  request: ReserveRequest,
  { backsTheHold }: { backsTheHold: boolean } = { backsTheHold: false },
): Promise<Reservation> {
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
        // A wait for money is no wait for Postgres.
        if (!hold.shortOf) patience.leftMs = Math.max(0, answerBy - clock.monotonic())
        resolve({ hold, amountNanos, revision: hold.revision })
      },
      refuse: reject,
    })
    refuseAt(ledger, hold, answerBy)
    growSoon(ledger, hold)
  })
}
