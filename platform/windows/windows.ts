import { dropOldest } from '../drop-oldest.ts'

/** Counts by name in windows of one length, in the memory of this process. A window begins with its first count. */
export interface Windows {
  /** Counts an amount, 1 by default, unless the window would exceed `max`. */
  count(name: string, limit: WindowLimit): Counted
  /** Returns the current window, or undefined. */
  peek(name: string): Counts | undefined
  /** Sets the count of other processes. */
  set(name: string, counts: Counts): void
}

/** An amount to count in a window, and the maximum count of the window. */
export interface WindowLimit {
  max: number
  amount?: number
}

/** The count of a window. */
export interface Counts {
  count: number
  /** Time until the window ends, in milliseconds. */
  leftMs: number
}

export interface Counted extends Counts {
  /** Whether the amount was counted. Otherwise it would have exceeded the limit. */
  isCounted: boolean
}

interface Window {
  count: number
  endsAt: number
}

/** Opens windows. Above `maxNames` names the windows that began first are dropped. */
export function openWindows(options: {
  windowMs: number
  maxNames?: number
  /** The time of the monotonic clock, in milliseconds. */
  now?: () => number
}): Windows {
  const { windowMs, maxNames = 100_000, now = () => performance.now() } = options
  /** The windows, in the order in which they began. */
  const windows = new Map<string, Window>()

  const running = (name: string) => {
    const window = windows.get(name)
    return window && window.endsAt > now() ? window : undefined
  }
  const begin = (name: string, window: Window) => {
    windows.delete(name)
    windows.set(name, window)
    dropOldest(windows, maxNames)
    return window
  }
  const countsOf = ({ count, endsAt }: Window) => ({ count, leftMs: endsAt - now() })

  return {
    count(name, { max, amount = 1 }) {
      const window = running(name) ?? begin(name, { count: 0, endsAt: now() + windowMs })
      const isCounted = window.count + amount <= max
      if (isCounted) window.count += amount
      return { isCounted, ...countsOf(window) }
    },
    peek(name) {
      const window = running(name)
      return window && countsOf(window)
    },
    set: (name, { count, leftMs }) => void begin(name, { count, endsAt: now() + leftMs }),
  }
}
