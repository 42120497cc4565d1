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

/** What is taken is kept up to so many bytes, which may be told later. */
export function openOutbox(mostKeptBytes: () => number): Outbox {
  let taken: Buffer[] = []
  let takenBytes = 0
  let waiting = ''
  return {
    add(frames) {
      waiting += frames
    },
    take(more = '') {
      const frames = waiting + more
      waiting = ''
      const most = mostKeptBytes()
      if (most === 0 || takenBytes > most) return frames
      const bytes = Buffer.from(frames)
      takenBytes += bytes.length
      taken.push(bytes)
      if (takenBytes > most) taken = []
      return frames
    },
    kept: () => (takenBytes > mostKeptBytes() ? undefined : Buffer.concat(taken)),
  }
}
