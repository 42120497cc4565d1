import type { Config } from '../../platform/config/read-config.ts'
import { Problem } from '../../schema/errors.ts'

/** How busy this process is. */
export interface Load {
  inFlight: number
  inFlightOfKey: Map<string, number>
  /** How late the event loop was when it was last measured, in milliseconds. */
  lagMs: number
  close(): void
}

const measureEveryMs = 50

/** An event loop this late serves nobody well: new requests are refused at once instead. */
const tooLateMs = 400

/** Starts to measure. */
export function openLoad(): Load {
  let expectedAt = performance.now() + measureEveryMs
  const load: Load = { inFlight: 0, inFlightOfKey: new Map(), lagMs: 0, close: () => clearInterval(timer) }
  const timer = setInterval(() => {
    const now = performance.now()
    load.lagMs = Math.max(0, now - expectedAt)
    expectedAt = now + measureEveryMs
  }, measureEveryMs)
  timer.unref()
  return load
}

/** Takes a request in; throws `overloaded` when there are too many. Call the answer when it ends. */
export function enter(load: Load, config: Config): () => void {
  if (load.inFlight >= config.maxInFlight || load.lagMs > tooLateMs) {
    throw new Problem('overloaded', { retryAfterSeconds: 1 })
  }
  load.inFlight += 1
  return () => {
    load.inFlight -= 1
  }
}

/** The same for one key: no key fills the process alone. */
export function enterKey(load: Load, config: Config, keyId: string): () => void {
  const count = load.inFlightOfKey.get(keyId) ?? 0
  if (count >= config.maxInFlightPerKey) {
    throw new Problem('overloaded', {
      retryAfterSeconds: 1,
      message: 'Too many requests of this key are in flight.',
    })
  }
  load.inFlightOfKey.set(keyId, count + 1)
  return () => {
    const left = (load.inFlightOfKey.get(keyId) ?? 1) - 1
    if (left === 0) load.inFlightOfKey.delete(keyId)
    else load.inFlightOfKey.set(keyId, left)
  }
}
