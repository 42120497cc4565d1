/** The frames of an answer in their order, to be sent and to be stored for repeats. */
export interface Outbox {
  /** Adds frames, which `take` returns next. */
  add(frames: string): void
  /** Returns all added frames, followed by `more`, for sending. */
  take(more?: string): string
  /**
   * Returns all frames that were taken, if they are stored for repeats. They include keep-alives, which may have sequence
   * numbers. Undefined if the frames are too long to be stored.
   */
  kept(): Buffer | undefined
}

interface OutboxOptions {
  /** Returns the length up to which frames are kept, in bytes. May change while the answer is streamed. */
  maxKeptBytes(): number
  /** Called with the number of bytes that were added to the kept frames; negative if they are dropped. */
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
      const max = maxKeptBytes()
      if (max === 0 || takenBytes > max) return frames
      const bytes = Buffer.byteLength(frames)
      const earlierBytes = takenBytes
      takenBytes += bytes
      const isTooLong = takenBytes > max
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
