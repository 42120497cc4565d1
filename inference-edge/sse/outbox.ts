/** Frames in the order in which they were presented, which numbers them: what is sent, and what is kept of it. */
export interface Outbox {
  /** They go out with those that are taken next. */
  add(frames: string): void
  /** All that waits, and `more`: to be sent. */
  take(more?: string): string
  /**
   * Everything that was ever taken, where it is kept for another try: signs of life too, since they have numbers.
   * Undefined once that is too long to be kept.
   */
  kept(): Buffer | undefined
}

interface OutboxOptions {
  /** Returns the length up to which frames are kept, in bytes. It may be known only later. */
  maxKeptBytes(): number
  /** Gets the number of bytes that are kept from now on; negative when they are dropped. */
  onKept?(bytes: number): void
}

/** Number of frames that are joined into one buffer, because a buffer takes memory beside its bytes. */
const joinedFrames = 64

/** Opens an outbox that keeps the frames of one answer. */
export function openOutbox({ maxKeptBytes, onKept }: OutboxOptions): Outbox {
  let taken: Buffer[] = []
  let takenBytes = 0
  let loose: string[] = []
  let waiting = ''
  return {
    add(frames) {
      waiting += frames
    },
    take(more = '') {
      const frames = waiting + more
      waiting = ''
      const most = maxKeptBytes()
      if (most === 0 || takenBytes > most) return frames
      const bytes = Buffer.byteLength(frames)
      const earlierBytes = takenBytes
      takenBytes += bytes
      const isTooLong = takenBytes > most
      if (isTooLong) [taken, loose] = [[], []]
      else loose.push(frames)
      if (loose.length === joinedFrames) {
        taken.push(Buffer.from(loose.join('')))
        loose = []
      }
      onKept?.(isTooLong ? -earlierBytes : bytes)
      return frames
    },
    kept: () =>
      takenBytes > maxKeptBytes() ? undefined : Buffer.concat([...taken, Buffer.from(loose.join(''))]),
  }
}
