/** Lets so much run at once under a name; the rest waits in the order in which it came. */
export interface Turns {
  /** Waits for a turn; resolves to how to end it, or to undefined where too many wait, or it takes too long. */
  take(name: string): Promise<(() => void) | undefined>
}

interface Queue {
  running: number
  waiting: Set<() => void>
}

/** Opens the turns. A name that nothing runs under is forgotten. */
export function openTurns(bounds: { atOnce: number; waiting: number; waitMs: number }): Turns {
  const queues = new Map<string, Queue>()
  return {
    async take(name) {
      const queue = queues.get(name) ?? { running: 0, waiting: new Set() }
      queues.set(name, queue)
      if (queue.running < bounds.atOnce) queue.running += 1
      else if (queue.waiting.size >= bounds.waiting || !(await begun(queue))) return undefined
      return () => end(name, queue)
    },
  }

  /** Whoever ends hands its turn on. */
  function end(name: string, queue: Queue): void {
    const [next] = queue.waiting
    if (next) next()
    else if (--queue.running === 0) queues.delete(name)
  }

  function begun({ waiting }: Queue): Promise<boolean> {
    return new Promise(resolve => {
      const begin = () => {
        clearTimeout(timer)
        waiting.delete(begin)
        resolve(true)
      }
      const timer = setTimeout(() => {
        waiting.delete(begin)
        resolve(false)
      }, bounds.waitMs)
      waiting.add(begin)
    })
  }
}
