import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '../../schema/errors.ts'
import { refuseWaiting } from './grow-hold.ts'
import { beat } from './heartbeat.ts'
import { type Amounts, freeNanos, type Hold, type Reservation } from './hold.ts'
import type { Ledger } from './ledger.ts'
import { recallRoom } from './recall-room.ts'

export interface ReserveRequest extends Amounts {
  accountId: string
  keyId: string
  /** Asked where balance or cap cannot cover the amount: the same two, looked at more closely. */
  whenShort?(): Amounts
}

/**
 * Reserves money for one request from the key's hold: in memory where there is room, else by growing the hold.
 * The reservation's amount may be less than asked, never less than the minimum (decisions: price before it ran).
 * Throws `insufficient_credits`, `credit_limit_reached`, or `unavailable` when Postgres cannot be asked.
 */
export async function reserve(ledger: Ledger, request: ReserveRequest): Promise<Reservation> {
  const now = ledger.context.clock.now()
  if (now > ledger.trustedUntil) await beat(ledger)
  const hold = holdOf(ledger, request)
  hold.usedAt = now
  if (hold.waiters.length === 0 && freeNanos(hold) >= request.amountNanos) {
    hold.reservedNanos += request.amountNanos
    return { hold, amountNanos: request.amountNanos }
  }
  try {
    return await waitForGrowth(ledger, hold, request)
  } catch (error) {
    // Room that others keep ahead must not refuse anybody: call it back, then ask once more.
    if (!isShortOfBalance(error) || !(await recallRoom(ledger, request.accountId))) throw error
    await sleep(100)
    return await waitForGrowth(ledger, holdOf(ledger, request), request)
  }
}

/**
 * Reserves money anew for a request that ran while its hold lapsed. The hold grows by what is missing, or by what
 * there is: unlike `reserve` it answers also where that is too little.
 * Throws `unavailable` when Postgres cannot be asked; nothing is reserved then.
 */
export async function reserveAnew(
  ledger: Ledger,
  request: Pick<ReserveRequest, 'accountId' | 'keyId' | 'amountNanos'>,
): Promise<Reservation> {
  const { amountNanos } = request
  const hold = holdOf(ledger, request)
  hold.reservedNanos += amountNanos
  try {
    // Nothing more is served once all that is in flight is backed.
    await reserve(ledger, { ...request, amountNanos: 0n, minimumNanos: 0n })
  } catch (error) {
    if (!isShortOfBalance(error) && !isShortOfCap(error)) {
      hold.reservedNanos -= amountNanos
      throw error
    }
  }
  return { hold, amountNanos }
}

/** The hold of a key in this process; its row appears with its first growth. */
function holdOf(ledger: Ledger, { accountId, keyId }: { accountId: string; keyId: string }): Hold {
  const known = ledger.holds.get(keyId)
  if (known) return known
  const hold: Hold = {
    id: ledger.context.ids.uuid(),
    accountId,
    keyId,
    amountNanos: 0n,
    reservedNanos: 0n,
    shownNanos: 0n,
    roomLimitNanos: 0n,
    lastAheadNanos: 0n,
    lastGrowthAt: 0,
    waiters: [],
    growing: false,
    usedAt: 0,
  }
  ledger.holds.set(keyId, hold)
  return hold
}

function waitForGrowth(ledger: Ledger, hold: Hold, request: ReserveRequest): Promise<Reservation> {
  return new Promise((resolve, reject) => {
    hold.waiters.push({
      amountNanos: request.amountNanos,
      minimumNanos: request.minimumNanos,
      whenShort: request.whenShort,
      since: ledger.context.clock.now(),
      grant: amountNanos => resolve({ hold, amountNanos }),
      refuse: reject,
    })
    growSoon(ledger, hold)
  })
}

/** Queues a growth of the hold unless one is queued; whoever still waits after it is served by the next. */
function growSoon(ledger: Ledger, hold: Hold): void {
  if (hold.growing) return
  hold.growing = true
  ledger.lane.add({ kind: 'grow', hold }).then(
    () => {
      if (hold.waiters.length > 0) growSoon(ledger, hold)
    },
    error => {
      ledger.context.log.error({ err: error, holdId: hold.id }, 'a hold could not grow')
      hold.growing = false
      refuseWaiting(hold)
    },
  )
}

function isShortOfBalance(error: unknown): boolean {
  return error instanceof Problem && error.errorName === 'insufficient_credits'
}

function isShortOfCap(error: unknown): boolean {
  return error instanceof Problem && error.errorName === 'credit_limit_reached'
}
