import { randomBytes } from 'node:crypto'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Creates identifiers. Injected, so that tests can predict them. */
export interface Ids {
  /**
   * Returns a UUID v7 with 62 random bits. It sorts after all earlier IDs of this process, and by time among all
   * processes.
   */
  uuid(): string
  /** Returns `prefix` and the 32 hex digits of a UUID v7, which is sortable and cannot be guessed. */
  tagged(prefix: string): string
  /** Returns `length` characters of [0-9A-Za-z], each drawn without bias. */
  secret(length: number): string
}

/** The UUID below every other one. Lists in the order of their IDs begin after it. */
export const lowestUuid = '00000000-0000-0000-0000-000000000000'

export const systemIds: Ids = {
  uuid: uuidV7,
  tagged: prefix => prefix + hexV7(),
  secret,
}

let pool = Buffer.alloc(0)
let used = 0

/**
 * Returns the beginning of tagged IDs of a time, in milliseconds since 1970; undefined if the time is outside their
 * range.
 */
export function idPrefixAt(prefix: string, ms: number): string | undefined {
  if (ms < 0 || ms >= 2 ** 48) return undefined
  return prefix + Math.floor(ms).toString(16).padStart(12, '0')
}

function uuidV7(): string {
  const hex = hexV7()
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

function hexV7(): string {
  const tick = nextTick()
  const ms = Math.floor(tick / ticksPerMs)
  if (ms !== lastMs) {
    lastMs = ms
    lastMsHex = ms.toString(16).padStart(12, '0')
  }
  const at = take(8)
  pool[at] = (pool[at]! & 0x3f) | 0x80
  return `${lastMsHex}${(0x7000 | (tick % ticksPerMs)).toString(16)}${pool.toString('hex', at, at + 8)}`
}

let lastMs = 0
let lastMsHex = ''

const ticksPerMs = 4096
let lastTick = 0

/** Returns the time in 4096ths of a millisecond, always later than the last one unless the clock was set back. */
function nextTick(): number {
  const tick = Math.floor(preciseNow() * ticksPerMs)
  lastTick = tick > lastTick || tick < lastTick - 1000 * ticksPerMs ? tick : lastTick + 1
  return lastTick
}

let offsetMs = performance.timeOrigin

/**
 * Returns milliseconds since 1970 with their fraction, from the monotonic clock. It is corrected if the system clock
 * differs.
 */
function preciseNow(): number {
  const nowMs = Date.now()
  const preciseMs = offsetMs + performance.now()
  const corrected = Math.min(Math.max(preciseMs, nowMs), nowMs + 0.999)
  offsetMs += corrected - preciseMs
  return corrected
}

function secret(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of draw(length)) {
      if (byte < 248 && text.length < length) text += alphabet[byte % 62]
    }
  }
  return text
}

/** Random bytes. */
function draw(count: number): Buffer {
  const at = take(count)
  return pool.subarray(at, at + count)
}

/** Takes random bytes from a pool that is refilled a few thousand bytes at a time. Returns their position. */
function take(count: number): number {
  if (used + count > pool.length) {
    pool = randomBytes(Math.max(8192, count))
    used = 0
  }
  used += count
  return used - count
}
