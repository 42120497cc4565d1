/** Runs work of many names a few at a time. Names take turns, so one with much work delays the others little. */
export interface FairQueue {
  /**
   * Runs `work` when its name's turn comes. Throws the error of `refusal` if too much of the name, or of all names
   * together, waits already.
   */
  run<Result>(name: string, work: () => Promise<Result>): Promise<Result>
}

/** The bound that a refused piece of work exceeds: the name's own, or the one of all names together. */
export type ExceededBound = 'name' | 'all'

export interface FairQueueOptions {
  /** Pieces of work that run at a time. */
  atOnce: number
  /** Pieces of work that wait, of one name and of all names together. */
  waitingOfName: number
  waiting: number
  refusal(bound: ExceededBound): Error
}

/** Opens a queue. It keeps nothing of a name that has no work waiting. */
export function openFairQueue({ atOnce, waitingOfName, waiting, refusal }: FairQueueOptions): FairQueue {
  /** The work that waits, by name; the name whose turn is next comes first. */
  const queues = new Map<string, (() => void)[]>()
  let running = 0
  let waitingNow = 0

  return {
    async run(name, work) {
      if (running >= atOnce) await turnOf(name)
      else running += 1
      try {
        return await work()
      } finally {
        passOn()
      }
    },
  }

  function turnOf(name: string): Promise<void> {
    const queue = queues.get(name) ?? []
    if (queue.length >= waitingOfName) throw refusal('name')
    if (waitingNow >= waiting) throw refusal('all')
    queues.set(name, queue)
    waitingNow += 1
    return new Promise(resolve => queue.push(resolve))
  }

  /** Gives the place that became free to the next name, which goes to the end of the line. */
  function passOn(): void {
    const [next] = queues
    if (!next) {
      running -= 1
      return
    }
    const [name, queue] = next
    queues.delete(name)
    const begin = queue.shift()
    if (queue.length > 0) queues.set(name, queue)
    waitingNow -= 1
    begin?.()
  }
}
