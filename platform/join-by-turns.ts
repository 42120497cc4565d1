import { partBytes, waitForTurn } from './byte-turns.ts'

/**
 * Joins parts into one buffer. A single part is not copied. Megabytes are copied over several turns of the event loop
 * (`byte-turns.ts`): the first write to a page of memory costs more than its copy.
 */
export async function joinByTurns(parts: readonly Uint8Array[]): Promise<Buffer> {
  const [first] = parts
  if (first && parts.length === 1) return Buffer.from(first.buffer, first.byteOffset, first.length)
  const whole = Buffer.from(new ArrayBuffer(parts.reduce((sum, { length }) => sum + length, 0)))
  let at = 0
  let left = partBytes
  for (const part of parts) {
    for (let from = 0; from < part.length; ) {
      if (left === 0) {
        await waitForTurn(partBytes)
        left = partBytes
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
