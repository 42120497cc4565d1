/** The options of a stream of values. */
export interface LatestOptions<Value> {
  /** Returns the key of a value. A reader receives only the latest value of a key. One key for all unless given. */
  keyOf?: (value: Value) => string
  /** Values that are not wanted are left out. */
  isWanted?: (value: Value) => boolean
  /** Makes one of a value that is unread and the next of its key; the next alone unless given. */
  merge?: (unread: Value, next: Value) => Value
  /** A reader that leaves more keys than `max` unread is cut off with this error. */
  limit?: { max: number; fault: () => Error }
  /** Called once, when the reader leaves or has received everything. */
  onClose?: () => void
}

/**
 * The values for one watcher: the latest value of each key, in the order of their changes. A newer value of a key replaces
 * an unread one, so a slow reader keeps at most one value per key waiting. Not an async generator, because a generator
 * that waits in `await` ignores `return()`.
 */
export class LatestStream<Value> implements AsyncIterableIterator<Value> {
  readonly #options: LatestOptions<Value>
  readonly #unread = new Map<string, Value>()
  #waiting: PromiseWithResolvers<IteratorResult<Value>>[] = []
  #isOver = false
  #fault: Error | undefined

  constructor(options: LatestOptions<Value> = {}) {
    this.#options = options
  }

  push(value: Value): void {
    const { keyOf, isWanted, merge, limit } = this.#options
    if (this.#isOver || isWanted?.(value) === false) return
    const reader = this.#waiting.shift()
    if (reader) {
      reader.resolve({ done: false, value })
      return
    }
    const key = keyOf?.(value) ?? ''
    const unread = this.#unread.get(key)
    this.#unread.delete(key)
    this.#unread.set(key, unread !== undefined && merge ? merge(unread, value) : value)
    if (limit && this.#unread.size > limit.max) this.fail(limit.fault())
  }

  /** Ends the stream. Unread values can still be read. */
  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    for (const reader of this.#waiting.splice(0)) reader.resolve({ done: true, value: undefined })
    this.#options.onClose?.()
  }

  /** Ends with an error, in place of what is unread. */
  fail(error: Error): void {
    if (this.#isOver) return
    this.#unread.clear()
    const [reader] = this.#waiting.splice(0, 1)
    if (reader) reader.reject(error)
    else this.#fault = error
    this.end()
  }

  async next(): Promise<IteratorResult<Value>> {
    for (const [key, value] of this.#unread) {
      this.#unread.delete(key)
      return { done: false, value }
    }
    const fault = this.#fault
    this.#fault = undefined
    if (fault) throw fault
    if (this.#isOver) return { done: true, value: undefined }
    const reader = Promise.withResolvers<IteratorResult<Value>>()
    this.#waiting.push(reader)
    return reader.promise
  }

  async return(): Promise<IteratorResult<Value>> {
    this.#unread.clear()
    this.end()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
