import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Group commit: items that arrive while a batch is in flight are sent together as the next batch. The first batch
 * contains all items of the current turn of the event loop. One batch is in flight at a time, and no item waits longer.
 */
export class GroupCommit<Item, Result> {
  readonly #commit: (items: Item[]) => Promise<(Result | Promise<Result>)[]>
  readonly #maxBatch: number
  #waiting: Waiting<Item, Result>[] = []
  #flushing: Promise<void> | undefined

  /**
   * `commit` resolves to one result per item, in order. If it throws, every item of the batch fails with the same
   * error. A result can be a promise, for which the next batch does not wait.
   */
  constructor(
    commit: (items: Item[]) => Promise<(Result | Promise<Result>)[]>,
    options: { maxBatch?: number } = {},
  ) {
    this.#commit = commit
    this.#maxBatch = options.maxBatch ?? 500
  }

  /** Adds an item to the next batch. Resolves to the item's result when the batch is committed. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      this.#flushing ??= this.#flush()
    })
  }

  /** Resolves when no item waits or is in flight. */
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
