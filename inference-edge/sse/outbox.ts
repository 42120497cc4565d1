/** Frames in the order in which they were presented, which numbers them: what is sent, and what is kept of it. */
export interface Outbox {
  /** They go out with those that are taken next. */
  add(frames: string): void
  /** All that waits, and `more`: to be sent. */
  take(more?: string): string
  /** Everything that was ever taken, where it is kept for another try: signs of life too, since they have numbers. */
  kept(): string
}

/** `keeps` keeps everything that is taken. */
export function openOutbox({ keeps }: { keeps: boolean }): Outbox {
  const taken: string[] = []
  let waiting = ''
  return {
    add(frames) {
      waiting += frames
    },
    take(more = '') {
      const frames = waiting + more
      waiting = ''
      if (keeps) taken.push(frames)
      return frames
    },
    kept: () => taken.join(''),
  }
}
