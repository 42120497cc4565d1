import { performance } from 'node:perf_hooks'
import { FairQueue, type QueueOwner } from '../fair-queue.ts'

/** Maximum duration of a turn, in milliseconds. The next turn begins even if the work of this one continues. */
const maxTurnMs = 50

/**
 * Turns of expensive work on the event loop, one at a time. After each turn, the event loop is free for as long as the
 * turn lasted, so that expensive work uses at most half of it.
 */
export class EventLoopTurns {
  readonly #queue = new FairQueue({ slots: 1 })

  /** Waits for a turn. Resolves to the function that ends it, which may be called more than once. */
  async begin(owner: QueueOwner): Promise<() => void> {
    const leave = await this.#queue.enter(owner)
    const before = performance.eventLoopUtilization()
    const timer = setTimeout(() => end(), maxTurnMs)
    let isOver = false
    const end = () => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      const { active } = performance.eventLoopUtilization(before)
      setTimeout(leave, Math.min(active, maxTurnMs))
    }
    return end
  }
}
