/** Counts by name in windows of one length, in the memory of this process. */
export interface Windows {
  /** Counts an amount, one unless given. */
  count(name: string, amount?: number): Counted
  /** The running window, if there is one. */
  peek(name: string): Counted | undefined
  /** Sets what was counted elsewhere. */
  set(name: string, counted: Counted): void
}

/** How much was counted in a window. */
export interface Counted {
  count: number
  /** Until the window ends, in milliseconds. */
  leftMs: number
}

/**
 * Opens them. A window begins with its first count; where there are too many names, the oldest are dropped.
 */
export function openWindows(options: {
  windowMs: number
  maxNames?: number
  /** The monotonic clock, in milliseconds. */
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
  const counted = ({ count, endsAt }: { count: number; endsAt: number }) => ({
    count,
    leftMs: endsAt - now(),
  })

  return {
    count(name, amount = 1) {
      const window = running(name) ?? begin(name, { count: 0, endsAt: now() + windowMs })
      window.count += amount
      return counted(window)
    },
    peek(name) {
      const window = running(name)
      return window && counted(window)
    },
    set: (name, { count, leftMs }) => void begin(name, { count, endsAt: now() + leftMs }),
  }
}
