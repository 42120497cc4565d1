/** What a stream of values needs to know of them. */
export interface LatestOptions<Value> {
  /** Of the values of one key a reader is told the latest; one key for all unless given. */
  keyOf?: (value: Value) => string
  /** Values that are not wanted are left out. */
  isWanted?: (value: Value) => boolean
  /** Makes one of a value that is unread and the next of its key; the next alone unless given. */
  merge?: (unread: Value, next: Value) => Value
  /** A reader that leaves more keys than `most` unread is cut off with this error. */
  limit?: { most: number; fault: () => Error }
  /** Is called once, when the reader leaves or was told all. */
  onClose?: () => void
}

/**
 * What one watcher is told: of each key its latest value, in the order in which they changed. Values that it has not
 * read when the next one of their key comes are left out, so a slow reader keeps one of each key waiting, no more. Not
 * an async generator: parked in `await`, that would ignore `return()`.
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
    if (limit && this.#unread.size > limit.most) this.fail(limit.fault())
  }

  /** Nothing more comes. What is unread can still be read. */
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
