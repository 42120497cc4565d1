import { performance } from 'node:perf_hooks'
import { FairQueue, type QueueOwner } from '../fair-queue.ts'

/** Maximum duration of a turn, in milliseconds. The next turn begins even if the work of this one continues. */
const maxTurnMs = 50

/**
 * Turns of expensive work on the event loop, `together` at a time. After each turn, its place stays empty for as long as
 * the turn lasted. Work that takes turns one at a time therefore uses at most half of the event loop.
 */
export class EventLoopTurns {
  readonly #queue: FairQueue

  constructor({ together = 1 }: { together?: number } = {}) {
    this.#queue = new FairQueue({ slots: together })
  }

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
