/** Number of bytes that one turn of the event loop moves: about two milliseconds of work. */
const turnBytes = 1 << 19

/** Size of a part in which a long body is read from a socket or written to one, in bytes. */
export const partBytes = 1 << 16

interface Waiting {
  bytes: number
  proceed: () => void
}

const waiting: Waiting[] = []
let leftBytes = turnBytes
let isScheduled = false

/**
 * Divides the bytes of large bodies into turns of the event loop, across all requests. Call it before each part of a
 * body is read, copied or sent. Returns true if the part fits into this turn. Otherwise, `proceed` is called in a later
 * turn, in the order of the calls, so that other requests are not delayed.
 */
export function takeTurn(bytes: number, proceed: () => void): boolean {
  schedule()
  if (waiting.length === 0 && leftBytes > 0) {
    leftBytes -= bytes
    return true
  }
  waiting.push({ bytes, proceed })
  return false
}

/** Waits for the turn in which a part of a large body may be moved. */
export function waitForTurn(bytes: number): Promise<void> | undefined {
  let proceed!: () => void
  const turn = new Promise<void>(resolve => {
    proceed = resolve
  })
  return takeTurn(bytes, proceed) ? undefined : turn
}

function schedule(): void {
  if (!isScheduled) setImmediate(beginTurn)
  isScheduled = true
}

function beginTurn(): void {
  isScheduled = false
  leftBytes = turnBytes
  let count = 0
  for (; count < waiting.length && leftBytes > 0; count++) leftBytes -= waiting[count]!.bytes
  if (waiting.length > 0) schedule()
  for (const { proceed } of waiting.splice(0, count)) proceed()
}

/** Returns the parts of a long body, each in its turn. */
export async function* partsByTurns(body: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < body.length; at += partBytes) {
    await waitForTurn(partBytes)
    yield body.subarray(at, at + partBytes)
  }
}
