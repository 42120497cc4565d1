import type { Balance } from './read-balances.ts'

/**
 * What one watcher of a balance is told: each time the latest. A slow reader keeps one balance waiting, no more. Not an
 * async generator: parked in `await`, that would ignore `return()`.
 */
export class BalanceStream implements AsyncIterableIterator<Balance> {
  readonly #onClose: (stream: BalanceStream) => void
  #unread: Balance | undefined
  #waiting: PromiseWithResolvers<IteratorResult<Balance>>[] = []
  #isOver = false

  /** `onClose` is called once, when the watcher leaves or the watch ends. */
  constructor(onClose: (stream: BalanceStream) => void) {
    this.#onClose = onClose
  }

  push(balance: Balance): void {
    if (this.#isOver) return
    const reader = this.#waiting.shift()
    if (reader) reader.resolve({ done: false, value: balance })
    else this.#unread = balance
  }

  async next(): Promise<IteratorResult<Balance>> {
    const balance = this.#unread
    this.#unread = undefined
    if (balance) return { done: false, value: balance }
    if (this.#isOver) return { done: true, value: undefined }
    const reader = Promise.withResolvers<IteratorResult<Balance>>()
    this.#waiting.push(reader)
    return reader.promise
  }

  async return(): Promise<IteratorResult<Balance>> {
    this.#unread = undefined
    if (!this.#isOver) {
      this.#isOver = true
      for (const reader of this.#waiting.splice(0)) reader.resolve({ done: true, value: undefined })
      this.#onClose(this)
    }
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
