/**
 * Aborts the vendor's side of a request when the client disconnects or the request is given up. An
 * AbortController would do the same at ten times the cost.
 */
export class Cancellation {
  isCancelled = false
  #listener: (() => void) | undefined
  readonly #forks: Cancellation[] = []

  /** Cancels, once: calls the listener, and cancels the forks. */
  cancel(): void {
    if (this.isCancelled) return
    this.isCancelled = true
    this.#listener?.()
    for (const fork of this.#forks) fork.cancel()
  }

  /**
   * Returns a cancellation with a separate listener that is cancelled with this one, for concurrent calls. This one keeps a
   * reference to it.
   */
  fork(): Cancellation {
    const fork = new Cancellation()
    if (this.isCancelled) fork.cancel()
    else this.#forks.push(fork)
    return fork
  }

  /** Sets the function to call on cancellation. It replaces the previous one. */
  onCancel(listener: (() => void) | undefined): void {
    this.#listener = listener
  }

  /** Resolves after `ms` milliseconds, or immediately on cancellation. */
  async pause(ms: number): Promise<void> {
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, ms)
      this.onCancel(() => {
        clearTimeout(timer)
        resolve()
      })
    })
    this.onCancel(undefined)
  }
}
