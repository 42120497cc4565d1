import type { Config } from '../../platform/config/read-config.ts'

/** The load of this process. */
export interface Load {
  inFlight: number
  /** Number of requests that wait to begin (`begin-by-turns.ts`). */
  queued: number
  /** Arrival time of the first of these, on the monotonic clock. */
  queuedSince: number | undefined
  /** Number of requests in flight that wait for their vendor or client, and use no CPU. */
  waiting: number
  /** Last measured lag of the event loop, or the wait of the first queued request if that is longer, in milliseconds. */
  lagMs: number
  /** Limit of active requests (queued, or in flight and not waiting) above which new requests are refused. */
  maxActive: number
  /** Whether that limit has refused a request since the lag was last measured. */
  hasRefused: boolean
  /** When a request was last refused, on the monotonic clock. */
  refusedAt: number
  close(): void
}

const measureIntervalMs = 20

/** Target lag of the event loop, in milliseconds. Active requests wait this long at every step. */
const targetLagMs = 25

/** Number of active requests below which none is refused. They keep an event loop busy even if the stores are slow. */
const minLimit = 128

/** Number of active requests below which none is refused while the event loop keeps up. */
const initialLimit = 512

/** Number of active requests from which starts are staggered, and how long they stay staggered after a refusal. */
const crowdedFrom = 256
const crowdedForMs = 1_000

/** Factors of the limit: if the event loop lagged, and if it kept up. */
const shrinkFactor = 0.9
const growFactor = 1.03

/** Starts to measure. */
export function openLoad(): Load {
  let measuredAt = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    adjust(load, Math.max(now - measuredAt - measureIntervalMs, now - (load.queuedSince ?? now)))
    measuredAt = now
  }, measureIntervalMs)
  timer.unref()
  const load: Load = {
    inFlight: 0,
    queued: 0,
    queuedSince: undefined,
    waiting: 0,
    lagMs: 0,
    maxActive: initialLimit,
    hasRefused: false,
    refusedAt: -crowdedForMs,
    close: () => clearInterval(timer),
  }
  return load
}

/**
 * Adjusts the limit to the lag of the event loop, or to the wait of the first queued request. The limit falls if that is
 * above the target, and rises otherwise: above `initialLimit` only if the limit has refused a request.
 */
export function adjust(load: Load, lateMs: number): void {
  load.lagMs = Math.max(0, lateMs)
  if (load.lagMs > targetLagMs) load.maxActive = Math.max(minLimit, load.maxActive * shrinkFactor)
  else if (load.maxActive < initialLimit || load.hasRefused) load.maxActive *= growFactor
  load.hasRefused = false
}

/** Whether the next request must be refused: too many are in flight, or more are active than the event loop can serve. */
export function mustRefuse(load: Load, { maxInFlight }: Config): boolean {
  if (load.queued + load.inFlight >= maxInFlight) return true
  if (activeRequests(load) < load.maxActive) return false
  load.hasRefused = true
  load.refusedAt = performance.now()
  return true
}

/** Whether starts must be staggered: many requests are active, or one was refused recently. */
export function isCrowded(load: Load): boolean {
  return activeRequests(load) >= crowdedFrom || performance.now() - load.refusedAt < crowdedForMs
}

/** Returns the number of requests that are queued, or in flight and not waiting. */
export function activeRequests({ queued, inFlight, waiting }: Load): number {
  return queued + inFlight - waiting
}

/** Returns the promise. The request counts as waiting until the promise is settled. */
export function whileWaiting<Awaited>(load: Load, awaited: Promise<Awaited>): Promise<Awaited> {
  load.waiting += 1
  const over = () => {
    load.waiting -= 1
  }
  awaited.then(over, over)
  return awaited
}
