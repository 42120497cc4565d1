/** Counts by name in windows of one length, in the memory of this process. */
export interface Windows {
  /** Counts one more. */
  count(name: string): Counted
  /** The window that runs, if one does. */
  look(name: string): Counted | undefined
  /** Takes over what somebody else counted. */
  fill(name: string, counted: Counted): void
}

export interface Counted {
  count: number
  /** Until the window ends, in milliseconds. */
  leftMs: number
}

/** Opens them. A window begins with its first count; of too many names the oldest are forgotten. */
export function openWindows(options: {
  windowMs: number
  maxNames?: number
  /** Milliseconds of a clock that never goes back. */
  now?: () => number
}): Windows {
  const { windowMs, maxNames = 100_000, now = () => performance.now() } = options
  /** In the order in which they began. */
  const windows = new Map<string, { count: number; endsAt: number }>()

  const running = (name: string) => {
    const window = windows.get(name)
    return window && window.endsAt > now() ? window : undefined
  }
  const begin = (name: string, window: { count: number; endsAt: number }) => {
    windows.delete(name)
    if (windows.size >= maxNames) windows.delete(windows.keys().next().value!)
    windows.set(name, window)
    return window
  }
  const told = ({ count, endsAt }: { count: number; endsAt: number }) => ({ count, leftMs: endsAt - now() })

  return {
    count(name) {
      const window = running(name) ?? begin(name, { count: 0, endsAt: now() + windowMs })
      window.count += 1
      return told(window)
    },
    look(name) {
      const window = running(name)
      return window && told(window)
    },
    fill: (name, { count, leftMs }) => void begin(name, { count, endsAt: now() + leftMs }),
  }
}
