/** An owner of work: an account, or a network. */
export interface QueueOwner {
  id: string
  /** Whether the owner is served before owners without preference. */
  isPreferred?: boolean
  /** Maximum number of slots that the owner occupies at the same time. Unlimited by default. */
  maxSlots?: number
}

/** The limit that was exceeded: waiting entries of the owner, waiting entries of all owners, or the time of waiting. */
export type ExceededBound = 'owner' | 'all' | 'time'

export interface FairQueueOptions<Owner extends QueueOwner> {
  /** Number of slots: entries that run at the same time. */
  slots: number
  /** Number of slots that owners without preference may occupy together. All slots by default. */
  otherSlots?: number
  /** Maximum number of waiting entries, of one owner and of all owners together. Unlimited by default. */
  maxWaitingPerOwner?: number
  maxWaiting?: number
  /** Maximum time that an entry waits, in milliseconds. Unlimited by default. */
  maxWaitMs?: number
  /** Returns the error of an entry that is refused. */
  refusal?(bound: ExceededBound, owner: Owner): Error
}

/** Of this many consecutive slots, at least one goes to an owner without preference, if one waits. */
const placesPerOther = 4

/** The waiting entries of one owner, each with the function that gives it a slot. */
interface Line<Owner> {
  owner: Owner
  entries: Set<() => void>
}

/**
 * A queue for a limited number of slots. Owners take turns, so an owner with much work hardly delays the others. While
 * both kinds of owners wait, three of four slots go to preferred owners. The queue stores nothing about an owner
 * without entries.
 */
export class FairQueue<Owner extends QueueOwner = QueueOwner> {
  readonly #options: FairQueueOptions<Owner>
  /** The lines by owner. The owner that is served next comes first. */
  readonly #preferred = new Map<string, Line<Owner>>()
  readonly #others = new Map<string, Line<Owner>>()
  /** Number of slots that each owner occupies. */
  readonly #slots = new Map<string, number>()
  #total = 0
  #otherTotal = 0
  #waiting = 0
  #given = 0

  constructor(options: FairQueueOptions<Owner>) {
    this.#options = options
  }

  /** The number of entries that run, and that wait. */
  get load(): { running: number; waiting: number } {
    return { running: this.#total, waiting: this.#waiting }
  }

  /** Runs `work` in a slot of the owner. Throws the error of `refusal`. */
  async run<Result>(owner: Owner, work: () => Promise<Result>): Promise<Result> {
    const leave = await this.enter(owner)
    try {
      return await work()
    } finally {
      leave()
    }
  }

  /**
   * Waits for a slot. Resolves to the function that releases it, which must be called once. Rejects with the error of
   * `refusal`.
   */
  enter(owner: Owner): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const line = this.#lineOf(owner)
      const begin = () => {
        clearTimeout(timer)
        resolve(() => this.#leave(owner))
      }
      const { maxWaitMs } = this.#options
      const expire = () => {
        this.#remove(line, begin)
        reject(this.#refusal('time', owner))
      }
      const timer = maxWaitMs === undefined ? undefined : setTimeout(expire, maxWaitMs)
      line.entries.add(begin)
      this.#waiting += 1
      this.#serve()
      const bound = line.entries.has(begin) ? this.#exceededBound(line) : undefined
      if (!bound) return
      clearTimeout(timer)
      this.#remove(line, begin)
      reject(this.#refusal(bound, owner))
    })
  }

  #lineOf(owner: Owner): Line<Owner> {
    const lines = this.#linesOf(owner)
    const known = lines.get(owner.id)
    if (known) return Object.assign(known, { owner })
    const line = { owner, entries: new Set<() => void>() }
    lines.set(owner.id, line)
    return line
  }

  #linesOf({ isPreferred }: Owner): Map<string, Line<Owner>> {
    return isPreferred ? this.#preferred : this.#others
  }

  #exceededBound({ entries }: Line<Owner>): ExceededBound | undefined {
    const { maxWaitingPerOwner = Number.POSITIVE_INFINITY, maxWaiting = Number.POSITIVE_INFINITY } =
      this.#options
    if (entries.size > maxWaitingPerOwner) return 'owner'
    return this.#waiting > maxWaiting ? 'all' : undefined
  }

  #refusal(bound: ExceededBound, owner: Owner): Error {
    return this.#options.refusal?.(bound, owner) ?? new Error(`the queue is full: ${bound}`)
  }

  /** Assigns the free slots. An owner that is served moves to the end of its order. */
  #serve(): void {
    for (let line = this.#next(); line; line = this.#next()) {
      const [begin] = line.entries
      if (!begin) return
      const lines = this.#linesOf(line.owner)
      this.#remove(line, begin)
      if (lines.delete(line.owner.id)) lines.set(line.owner.id, line)
      this.#count(line.owner, 1)
      this.#given += 1
      begin()
    }
  }

  #next(): Line<Owner> | undefined {
    const { slots, otherSlots = slots } = this.#options
    if (this.#total >= slots) return undefined
    const others = this.#otherTotal < otherSlots ? this.#firstOf(this.#others) : undefined
    if (others && this.#given % placesPerOther === 0) return others
    return this.#firstOf(this.#preferred) ?? others
  }

  /** Returns the first line whose owner has fewer than its `maxSlots`. Skips at most `slots` lines. */
  #firstOf(lines: Map<string, Line<Owner>>): Line<Owner> | undefined {
    for (const line of lines.values()) {
      const { id, maxSlots = Number.POSITIVE_INFINITY } = line.owner
      if ((this.#slots.get(id) ?? 0) < maxSlots) return line
    }
    return undefined
  }

  #remove({ owner, entries }: Line<Owner>, begin: () => void): void {
    entries.delete(begin)
    this.#waiting -= 1
    if (entries.size === 0) this.#linesOf(owner).delete(owner.id)
  }

  #leave(owner: Owner): void {
    this.#count(owner, -1)
    this.#serve()
  }

  #count({ id, isPreferred }: Owner, change: 1 | -1): void {
    this.#total += change
    if (!isPreferred) this.#otherTotal += change
    const slots = (this.#slots.get(id) ?? 0) + change
    if (slots > 0) this.#slots.set(id, slots)
    else this.#slots.delete(id)
  }
}
