import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Group commit: what arrives while the previous batch is in flight goes as ONE batch, and the first batch
 * takes all that this turn of the event loop brings. One batch is in flight at a time; nothing lingers for
 * longer.
 */
export class GroupCommit<Item, Result> {
  readonly #commit: (items: Item[]) => Promise<(Result | Promise<Result>)[]>
  readonly #maxBatch: number
  #waiting: Waiting<Item, Result>[] = []
  #flushing: Promise<void> | undefined

  /**
   * `commit` answers one result per item, in order; when it throws, every item of the batch fails alike. A
   * result that is a promise concerns its own item alone: the next batch does not wait for it.
   */
  constructor(
    commit: (items: Item[]) => Promise<(Result | Promise<Result>)[]>,
    options: { maxBatch?: number } = {},
  ) {
    this.#commit = commit
    this.#maxBatch = options.maxBatch ?? 500
  }

  /** Adds an item to the next batch and resolves with its own result once that batch is committed. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      this.#flushing ??= this.#flush()
    })
  }

  /** Resolves when nothing waits and nothing is in flight. */
  async idle(): Promise<void> {
    while (this.#flushing) await this.#flushing
  }

  async #flush(): Promise<void> {
    await nextTurn()
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#maxBatch)
      try {
        const results = await this.#commit(batch.map(entry => entry.item))
        for (let at = 0; at < batch.length; at++) batch[at]!.resolve(results[at]!)
      } catch (error) {
        for (const entry of batch) entry.reject(error)
      }
    }
    this.#flushing = undefined
  }
}

interface Waiting<Item, Result> {
  item: Item
  resolve(result: Result | Promise<Result>): void
  reject(error: unknown): void
}
