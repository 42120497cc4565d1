import { randomBytes } from 'node:crypto'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Makes identifiers; injected so that a test can foresee them. */
export interface Ids {
  /** A UUID v7: sorts after all that this process made before, and by time with those of others; 62 random bits. */
  uuid(): string
  /** `prefix` followed by the 32 hex digits of a UUID v7: sortable and unguessable. */
  tagged(prefix: string): string
  /** `length` characters of [0-9A-Za-z], each drawn without bias. */
  secret(length: number): string
}

export const systemIds: Ids = {
  uuid: uuidV7,
  tagged: prefix => prefix + hexV7(),
  secret,
}

let pool = Buffer.alloc(0)
let used = 0

function uuidV7(): string {
  const hex = hexV7()
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

function hexV7(): string {
  const bytes = draw(16)
  const tick = nextTick()
  bytes.writeUIntBE(Math.floor(tick / ticksPerMs), 0, 6)
  bytes.writeUInt16BE(0x7000 | (tick % ticksPerMs), 6)
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString('hex')
}

const ticksPerMs = 4096
let lastTick = 0

/** The time in 4096ths of a millisecond, and always later than the last, but where the clock was set back. */
function nextTick(): number {
  const tick = Math.floor(preciseNow() * ticksPerMs)
  lastTick = tick > lastTick || tick < lastTick - 1000 * ticksPerMs ? tick : lastTick + 1
  return lastTick
}

let offsetMs = performance.timeOrigin

/** Milliseconds since 1970 with their fraction. What they are measured with is put right where the clock says otherwise. */
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

/** Random bytes, fetched from the kernel a few thousand at a time. */
function draw(count: number): Buffer {
  if (used + count > pool.length) {
    pool = randomBytes(Math.max(8192, count))
    used = 0
  }
  const bytes = pool.subarray(used, used + count)
  used += count
  return bytes
}
