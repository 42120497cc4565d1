import type { Service } from '../services/spawn-service.ts'
import { type KeptAlive, keepAlive } from './keep-alive.ts'

/** Keeps all services of a start alive, and ends them in order. */
export interface Keeper {
  /** Fires when all shall end: what is still starting gives up. */
  halt: AbortSignal
  /** Starts a service and keeps it alive. Lower ranks end first. Throws when it does not start. */
  keep<Started extends Service>(name: string, rank: number, start: () => Promise<Started>): Promise<Started>
  /** Ends everything, rank by rank; each service has `graceMs` before it is killed. May be called again. */
  stopAll(graceMs: number): Promise<void>
}

/** Opens a keeper that tells, line by line, what died and what came back. */
export function openKeeper(tell: (line: string) => void): Keeper {
  const halt = new AbortController()
  const starting = new Set<Promise<unknown>>()
  const kept: { rank: number; service: KeptAlive }[] = []

  async function begin<Started extends Service>(name: string, rank: number, start: () => Promise<Started>) {
    const service = await keepAlive(name, { start, tell })
    kept.push({ rank, service })
    return service.first
  }

  return {
    halt: halt.signal,
    keep(name, rank, start) {
      const begun = begin(name, rank, start)
      starting.add(begun)
      return begun.finally(() => starting.delete(begun))
    },
    async stopAll(graceMs) {
      halt.abort()
      await Promise.allSettled(starting)
      const ranks = [...new Set(kept.map(({ rank }) => rank))].sort((one, other) => one - other)
      for (const rank of ranks) {
        const together = kept.filter(entry => entry.rank === rank)
        await Promise.all(together.map(({ service }) => service.stop(graceMs)))
      }
    },
  }
}
