import { performance } from 'node:perf_hooks'

/** Maximum duration of a turn, in milliseconds. The next turn begins even if the work of this one goes on. */
const maxTurnMs = 50

/** Of this many turns at least one goes to an owner without preference, if one waits. */
const turnsPerOther = 4

/** Whoever takes turns: an account. */
export interface TurnOwner {
  id: string
  isPreferred: boolean
}

/**
 * Gives expensive work its turn on the event loop: one piece at a time, owner by owner. After each turn the event loop
 * is left to other work for as long as it was busy during the turn, so that expensive work gets at most half of it.
 * Owners without preference get at most one turn in four while a preferred owner waits.
 */
export class FairTurns {
  readonly #preferred = new Map<string, Begin[]>()
  readonly #others = new Map<string, Begin[]>()
  #isRunning = false
  #turns = 0

  /** Resolves when the turn begins, to a function that ends it. The function may be called more than once. */
  take({ id, isPreferred }: TurnOwner): Promise<() => void> {
    const owners = isPreferred ? this.#preferred : this.#others
    return new Promise(resolve => {
      const waiting = owners.get(id)
      if (waiting) waiting.push(resolve)
      else owners.set(id, [resolve])
      this.#beginNext()
    })
  }

  #beginNext(): void {
    if (this.#isRunning) return
    const begin = this.#next()
    if (!begin) return
    this.#isRunning = true
    this.#turns += 1
    const before = performance.eventLoopUtilization()
    const timer = setTimeout(() => end(), maxTurnMs)
    const end = () => {
      clearTimeout(timer)
      if (isOver) return
      isOver = true
      const { active } = performance.eventLoopUtilization(before)
      setTimeout(
        () => {
          this.#isRunning = false
          this.#beginNext()
        },
        Math.min(active, maxTurnMs),
      )
    }
    let isOver = false
    begin(end)
  }

  /** Removes the first waiting piece of the next owner. */
  #next(): Begin | undefined {
    const isTurnOfOthers = this.#turns % turnsPerOther === 0
    const [first, second] = isTurnOfOthers ? [this.#others, this.#preferred] : [this.#preferred, this.#others]
    const owners = first.size > 0 ? first : second
    const [entry] = owners
    if (!entry) return undefined
    const [id, waiting] = entry
    const begin = waiting.shift()
    // The owner goes to the end of the line.
    owners.delete(id)
    if (waiting.length > 0) owners.set(id, waiting)
    return begin
  }
}

type Begin = (end: () => void) => void
