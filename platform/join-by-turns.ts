import { setImmediate as nextTurn } from 'node:timers/promises'

/** Maximum number of bytes that one turn of the event loop copies. The first write to a page costs more than its copy. */
const turnBytes = 1 << 19

/**
 * Joins parts to one buffer; a single part is not copied. Megabytes are copied over several turns of the event
 * loop, so that other requests have theirs.
 */
export async function joinByTurns(parts: readonly Uint8Array[]): Promise<Buffer> {
  const [first] = parts
  if (first && parts.length === 1) return Buffer.from(first.buffer, first.byteOffset, first.length)
  const whole = Buffer.from(new ArrayBuffer(parts.reduce((sum, { length }) => sum + length, 0)))
  let at = 0
  let left = turnBytes
  for (const part of parts) {
    for (let from = 0; from < part.length; ) {
      if (left === 0) {
        await nextTurn()
        left = turnBytes
      }
      const slice = part.subarray(from, from + left)
      whole.set(slice, at)
      at += slice.length
      from += slice.length
      left -= slice.length
    }
  }
  return whole
}
