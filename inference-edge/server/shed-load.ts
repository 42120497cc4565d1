import type { Config } from '../../platform/config/read-config.ts'

/** How busy this process is. */
export interface Load {
  inFlight: number
  /** Requests that wait for a turn of the event loop to begin in (`begin-by-turns.ts`). */
  queued: number
  /** Since when the first of them does, by the monotonic clock. */
  queuedSince: number | undefined
  /** Those of them that wait for their vendor, or for their client to send or to read: they cost nothing meanwhile. */
  waiting: number
  /** How late the event loop was when it was last measured, or how long requests waited to begin, in milliseconds. */
  lagMs: number
  /** How many may be at work, that is queued or in flight and not waiting, before new ones are refused. */
  maxAtWork: number
  /** Whether that limit has refused a request since the lateness was last measured. */
  hasRefused: boolean
  /** When a request was refused last, by the monotonic clock. */
  refusedAt: number
  close(): void
}

const measureEveryMs = 20

/** What the event loop may be late: what is at work waits so long at every step of a request, and to begin. */
const targetLagMs = 25

/** So many at work keep an event loop busy, stores that take their time included: below, none is refused. */
const fewAtWork = 128

/** So many at once are done in a moment: while the event loop keeps up, none is refused below. */
const manyAtWork = 512

/** From so many at work on it matters how many begin together, and for so long after a refusal. */
const crowdAtWork = 256
const crowdedForMs = 1_000

/** What the limit is multiplied by: where the event loop was late, and where it kept up. */
const shrinks = 0.9
const grows = 1.03

/** Starts to measure. */
export function openLoad(): Load {
  let measuredAt = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    adjust(load, Math.max(now - measuredAt - measureEveryMs, now - (load.queuedSince ?? now)))
    measuredAt = now
  }, measureEveryMs)
  timer.unref()
  const load: Load = {
    inFlight: 0,
    queued: 0,
    queuedSince: undefined,
    waiting: 0,
    lagMs: 0,
    maxAtWork: manyAtWork,
    hasRefused: false,
    refusedAt: -crowdedForMs,
    close: () => clearInterval(timer),
  }
  return load
}

/**
 * Takes in that the event loop, or the first of those who wait to begin, is late by so many milliseconds. Where it is,
 * fewer requests may be at work at the same time; where it keeps up, more, and beyond `manyAtWork` where that many were
 * not enough.
 */
export function adjust(load: Load, lateMs: number): void {
  load.lagMs = Math.max(0, lateMs)
  if (load.lagMs > targetLagMs) load.maxAtWork = Math.max(fewAtWork, load.maxAtWork * shrinks)
  else if (load.maxAtWork < manyAtWork || load.hasRefused) load.maxAtWork *= grows
  load.hasRefused = false
}

/** Whether the next request is refused: too many are in flight, or more at work than the event loop keeps up with. */
export function mustRefuse(load: Load, { maxInFlight }: Config): boolean {
  if (load.queued + load.inFlight >= maxInFlight) return true
  if (atWork(load) < load.maxAtWork) return false
  load.hasRefused = true
  load.refusedAt = performance.now()
  return true
}

/** Whether so much is at work, or was lately, that those who begin together keep others waiting. */
export function isCrowded(load: Load): boolean {
  return atWork(load) >= crowdAtWork || performance.now() - load.refusedAt < crowdedForMs
}

function atWork({ queued, inFlight, waiting }: Load): number {
  return queued + inFlight - waiting
}

/** Answers `awaited` itself; until it is settled, its request in flight counts as waiting. */
export function whileWaiting<Awaited>(load: Load, awaited: Promise<Awaited>): Promise<Awaited> {
  load.waiting += 1
  const over = () => {
    load.waiting -= 1
  }
  awaited.then(over, over)
  return awaited
}
