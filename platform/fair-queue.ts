/** An owner of work: an account, or a network. */
export interface QueueOwner {
  id: string
  /** Whether the owner goes before owners without preference. */
  isPreferred?: boolean
  /** Maximum number of places that the owner has at the same time. Unlimited unless given. */
  maxPlaces?: number
}

/** The bound that refuses an entry: the number that may wait of its owner or of all owners, or the time of waiting. */
export type ExceededBound = 'owner' | 'all' | 'time'

export interface FairQueueOptions<Owner extends QueueOwner> {
  /** Number of entries that have a place at the same time. */
  places: number
  /** Number of places that owners without preference may have together. All of them unless given. */
  otherPlaces?: number
  /** Maximum number of waiting entries, of one owner and of all together. Unlimited unless given. */
  maxWaitingPerOwner?: number
  maxWaiting?: number
  /** Maximum time that an entry waits, in milliseconds. Unlimited unless given. */
  maxWaitMs?: number
  /** Returns the error of an entry that is refused. */
  refusal?(bound: ExceededBound, owner: Owner): Error
}

/** Number of places of which at least one goes to an owner without preference, if one waits. */
const placesPerOther = 4

/** The waiting entries of one owner, each with the function that gives it a place. */
interface Line<Owner> {
  owner: Owner
  entries: Set<() => void>
}

/**
 * A queue for a limited number of places. Owners take turns, so an owner with much work delays the others little. Three
 * of four places go to preferred owners while both kinds wait. The queue stores nothing of an owner without entries.
 */
export class FairQueue<Owner extends QueueOwner = QueueOwner> {
  readonly #options: FairQueueOptions<Owner>
  /** Lines by owner. The owner that is served next comes first. */
  readonly #preferred = new Map<string, Line<Owner>>()
  readonly #others = new Map<string, Line<Owner>>()
  /** Number of places that owners have. */
  readonly #places = new Map<string, number>()
  #total = 0
  #otherTotal = 0
  #waiting = 0
  #given = 0

  constructor(options: FairQueueOptions<Owner>) {
    this.#options = options
  }

  /** Runs `work` in a place of the owner. Throws the error of `refusal`. */
  async run<Result>(owner: Owner, work: () => Promise<Result>): Promise<Result> {
    const leave = await this.enter(owner)
    try {
      return await work()
    } finally {
      leave()
    }
  }

  /**
   * Waits for a place. Resolves to the function that leaves it, which must be called once. Rejects with the error of
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

  /** Gives the free places. An owner that is served goes to the end of its order. */
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
    const { places, otherPlaces = places } = this.#options
    if (this.#total >= places) return undefined
    const others = this.#otherTotal < otherPlaces ? this.#firstOf(this.#others) : undefined
    if (others && this.#given % placesPerOther === 0) return others
    return this.#firstOf(this.#preferred) ?? others
  }

  /** Returns the first line whose owner has fewer than its `maxPlaces`. It skips at most `places` lines. */
  #firstOf(lines: Map<string, Line<Owner>>): Line<Owner> | undefined {
    for (const line of lines.values()) {
      const { id, maxPlaces = Number.POSITIVE_INFINITY } = line.owner
      if ((this.#places.get(id) ?? 0) < maxPlaces) return line
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
    const places = (this.#places.get(id) ?? 0) + change
    if (places > 0) this.#places.set(id, places)
    else this.#places.delete(id)
  }
}
