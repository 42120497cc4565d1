import { openRedis, type RedisClient } from '../../platform/redis/open-redis.ts'
import type { Context } from '../context.ts'
import { extendReservation } from '../ledger/extend-reservation.ts'
import type { HeldReservation, HoldOwner, Reservation } from '../ledger/hold.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { closeLedger, openLedger } from '../ledger/open-ledger.ts'
import { recallHeadroom } from '../ledger/recall-headroom.ts'
import { renewReservation } from '../ledger/renew-reservation.ts'
import { type RevisedAmount, reserve, reserveAtOnce } from '../ledger/reserve.ts'
import { settle } from '../ledger/settle.ts'
import { correctTokens, openRates, type Rates } from '../rates/check-rate.ts'
import { checkThenReserve } from './check-then-reserve.ts'
import type { Committer, RequestLedger, RequestRates } from './committer.ts'
import { observeCommitter } from './observe-committer.ts'

/** Maximum age of a late answer to a rate check, in milliseconds. */
const lateAnswerMs = 5_000

/** Opens a committer within this process. Throws `unavailable` if Postgres does not respond; starts without Redis. */
export async function openCommitter(context: Context, options: { kind: string }): Promise<Committer> {
  const { ledger, rates, scripts } = await openParts(context, options)
  return {
    ledger: directLedger(ledger),
    rates: directRates(rates, ledger),
    isAvailable: true,
    async close() {
      scripts.disconnect()
      await closeLedger(ledger)
    },
  }
}

/** Opens the ledger and the rates of this process, and the connection for the scripts of the rates. */
export async function openParts(
  context: Context,
  options: { kind: string; adopted?: string | undefined },
): Promise<{ ledger: Ledger; rates: Rates; scripts: RedisClient }> {
  const { config, redis, log, metrics } = context
  const ledger = await openLedger(context, options)
  const scripts = openRedis({
    url: config.redisUrl,
    cluster: config.redisCluster,
    name: `${options.kind}-rates`,
    commandTimeoutMs: lateAnswerMs,
  })
  const { redisPrefix: prefix, redisCluster: isCluster } = config
  const rates = openRates({ redis, scripts, prefix, log, isCluster, metrics })
  observeCommitter(metrics, ledger, rates)
  return { ledger, rates, scripts }
}

/** Returns the operations of a ledger of this process. */
export function directLedger(ledger: Ledger): RequestLedger {
  return {
    get processId() {
      return ledger.processId
    },
    unfinished: ledger.unfinished,
    reserve: request => reserve(ledger, request),
    extend: (reservation, extension) => extendReservation(ledger, held(reservation), extension),
    renew: (reservation, key) => renewReservation(ledger, reservation && held(reservation), key),
    settle: (reservation, record, settled) =>
      settle(ledger, reservation && held(reservation), record, settled),
    recallHeadroom: accountId => recallHeadroom(ledger, accountId),
  }
}

/** Returns the operations of rates of this process. */
export function directRates(rates: Rates, ledger: Ledger): RequestRates {
  const reserveHere = (whole: HoldOwner & RevisedAmount) => reserveAtOnce(ledger, whole)
  return {
    check: (request, amount) => checkThenReserve(rates, request, { amount, reserve: reserveHere }),
    correct: counted => correctTokens(rates, counted),
  }
}

function held(reservation: Reservation): HeldReservation {
  if (!isHeld(reservation)) throw new Error('the reservation is of another ledger')
  return reservation
}

function isHeld(reservation: Reservation): reservation is HeldReservation {
  return 'hold' in reservation
}
