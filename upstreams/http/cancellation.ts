/**
 * Ends what a vendor does for a client. Cancelled when the client leaves or the request is given up;
 * whoever waits on the vendor's side then ends. (An AbortController, at a tenth of its price.)
 */
export class Cancellation {
  isCancelled = false
  #listener: (() => void) | undefined

  /** Ends the vendor's side, whatever it still sends. */
  cancel(): void {
    if (this.isCancelled) return
    this.isCancelled = true
    this.#listener?.()
  }

  /** Calls `listener` when it is cancelled; one listener at a time, the latest. */
  onCancel(listener: (() => void) | undefined): void {
    this.#listener = listener
  }

  /** Resolves after `ms`, or at once when it is cancelled. */
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
