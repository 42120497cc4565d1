/**
 * The line between a client and the vendor that answers it. Cut when the client leaves or the request is given up;
 * whoever waits on the vendor's side then ends. (An AbortController, at a tenth of its price.)
 */
export class Line {
  isCut = false
  #listener: (() => void) | undefined

  /** Ends the vendor's side, whatever it still sends. */
  cut(): void {
    if (this.isCut) return
    this.isCut = true
    this.#listener?.()
  }

  /** Calls `listener` when the line is cut; one listener at a time, the latest. */
  onCut(listener: (() => void) | undefined): void {
    this.#listener = listener
  }

  /** Resolves after `ms`, or at once when the line is cut. */
  async pause(ms: number): Promise<void> {
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, ms)
      this.onCut(() => {
        clearTimeout(timer)
        resolve()
      })
    })
    this.onCut(undefined)
  }
}
