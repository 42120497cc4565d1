import type { Config } from '../../platform/config/read-config.ts'
import { type Accounts, openAccounts } from './account-share.ts'

/** How busy this process is. */
export interface Load {
  inFlight: number
  accounts: Accounts
  /** How late the event loop was when it was last measured, in milliseconds. */
  lagMs: number
  /** The part of new requests that is refused so that the event loop keeps up: 0 to `mostRefused`. */
  refusedPart: number
  /** Parts of refusals that are owed: with every whole one a request is refused. */
  owed: number
  /** For how long everything is refused still, since the event loop was stuck, in milliseconds. */
  stuckForMs: number
  /** For how long the event loop has been late without a pause, in milliseconds. */
  lateForMs: number
  close(): void
}

const measureEveryMs = 20

/** An event loop this late serves nobody well: what waited for it meanwhile is refused at once instead. */
const tooLateMs = 400
const stuckMs = 60

/** What the event loop may be late for long: what waits for it, waits so long at every step of a request. */
const targetLagMs = 30

/** A collection of garbage, or a large body, makes it late for a moment: only what lasts longer is overload. */
const patienceMs = 300

/** With so few requests in flight nobody waits long for another: none is refused because the event loop is late. */
const fewInFlight = 128

const mostRefused = 0.98
const stepUp = 0.04
const stepDown = 0.01

/** Starts to measure. */
export function openLoad(): Load {
  let measuredAt = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    adjust(load, now - measuredAt)
    measuredAt = now
  }, measureEveryMs)
  timer.unref()
  const load: Load = {
    inFlight: 0,
    accounts: openAccounts(),
    lagMs: 0,
    refusedPart: 0,
    owed: 0,
    stuckForMs: 0,
    lateForMs: 0,
    close: () => clearInterval(timer),
  }
  return load
}

/**
 * Takes in that the event loop came round after `elapsedMs`. While it is late for long, the part that is refused grows,
 * the faster the later it is, and it shrinks slowly once it is not: so what is let in settles at what can be served.
 */
export function adjust(load: Load, elapsedMs: number): void {
  load.lagMs = Math.max(0, elapsedMs - measureEveryMs)
  load.stuckForMs = load.lagMs > tooLateMs ? stuckMs : Math.max(0, load.stuckForMs - elapsedMs)
  const excess = load.lagMs / targetLagMs - 1
  if (excess <= 0) {
    load.lateForMs = 0
    load.refusedPart = Math.max(0, load.refusedPart - stepDown)
    return
  }
  load.lateForMs += elapsedMs
  if (load.lateForMs < patienceMs && load.refusedPart === 0) return
  load.refusedPart = Math.min(mostRefused, load.refusedPart + stepUp * Math.min(4, excess))
}

/** Whether the next request is refused: there are too many, or the event loop does not keep up with them. */
export function mustRefuse(load: Load, { maxInFlight }: Config): boolean {
  if (load.inFlight >= maxInFlight) return true
  if (load.inFlight < fewInFlight) return false
  if (load.stuckForMs > 0) return true
  if (load.refusedPart === 0) return false
  load.owed += load.refusedPart
  if (load.owed < 1) return false
  load.owed -= 1
  return true
}
