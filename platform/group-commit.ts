/**
 * Group commit: what arrives while the previous batches are in flight goes as ONE batch, and the first batch takes
 * all that this turn of the event loop brings. Nothing lingers for longer.
 */
export class GroupCommit<Item, Result> {
  readonly #commit: (items: Item[]) => Promise<Result[]>
  readonly #maxBatch: number
  readonly #maxInFlight: number
  #waiting: Waiting<Item, Result>[] = []
  #inFlight = 0
  #isScheduled = false
  #whenIdle: (() => void)[] = []

  /**
   * `commit` answers one result per item, in order; when it throws, every item of the batch fails alike. Batches go
   * one at a time, in their order, unless `maxInFlight` says that more may be under way at once.
   */
  constructor(
    commit: (items: Item[]) => Promise<Result[]>,
    options: { maxBatch?: number; maxInFlight?: number } = {},
  ) {
    this.#commit = commit
    this.#maxBatch = options.maxBatch ?? 500
    this.#maxInFlight = options.maxInFlight ?? 1
  }

  /** Adds an item to the next batch and resolves with its own result once that batch is committed. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      if (this.#isScheduled || this.#inFlight >= this.#maxInFlight) return
      this.#isScheduled = true
      setImmediate(() => {
        this.#isScheduled = false
        void this.#flush()
      })
    })
  }

  /** Resolves when nothing waits and nothing is in flight. */
  async idle(): Promise<void> {
    if (this.#inFlight === 0 && this.#waiting.length === 0) return
    await new Promise<void>(resolve => this.#whenIdle.push(resolve))
  }

  async #flush(): Promise<void> {
    if (this.#inFlight >= this.#maxInFlight) return
    this.#inFlight += 1
    while (this.#waiting.length > 0) await this.#commitBatch(this.#waiting.splice(0, this.#maxBatch))
    this.#inFlight -= 1
    if (this.#inFlight > 0 || this.#isScheduled) return
    for (const resolve of this.#whenIdle.splice(0)) resolve()
  }

  async #commitBatch(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#commit(batch.map(entry => entry.item))
      for (const [index, entry] of batch.entries()) entry.resolve(results[index]!)
    } catch (error) {
      for (const entry of batch) entry.reject(error)
    }
  }
}

interface Waiting<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}
