/** Tells listeners of each change of a value outside of React, as `useSyncExternalStore` needs it. */
export interface Signal {
  /** Calls a function at each change. Returns a function that stops this. */
  subscribe(listener: () => void): () => void
  /** Tells of a change. */
  notify(): void
}

export function openSignal(): Signal {
  const listeners = new Set<() => void>()
  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    notify() {
      for (const listener of listeners) listener()
    },
  }
}
