import { setTimeout as sleep } from 'node:timers/promises'
import { explainFault } from '../platform/process/explain-fault.ts'
import type { Service } from './services/spawn-service.ts'

/** Keeps all services of a start alive, and stops them in order. */
export interface Keeper {
  /** Aborted by `stopAll`: services that are still starting give up. */
  halt: AbortSignal
  /** Starts a service and keeps it alive. Lower ranks are stopped first. Throws if it does not start. */
  keep<Started extends Service>(name: string, rank: number, start: () => Promise<Started>): Promise<Started>
  /** Stops everything, rank by rank; each service has `graceMs` before it is killed. May be called again. */
  stopAll(graceMs: number): Promise<void>
}

/** Opens a keeper. `print` receives a line for each service that died or was restarted. */
export function openKeeper(print: (line: string) => void): Keeper {
  const halt = new AbortController()
  const starting = new Set<Promise<unknown>>()
  const kept: { rank: number; service: KeptAlive }[] = []

  async function begin<Started extends Service>(name: string, rank: number, start: () => Promise<Started>) {
    const service = await keepAlive(name, { start, print })
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

/** A service that is started again when it dies. */
interface KeptAlive<Started extends Service = Service> {
  /** The service of the first start. */
  first: Started
  /** Stops it for good; after `graceMs` it is killed. */
  stop(graceMs?: number): Promise<void>
}

/**
 * Delays between attempts to restart, in milliseconds: doubled up to the maximum, and reset after a service ran for ten
 * seconds.
 */
const backoffMs = { first: 200, max: 5000, forgottenAfter: 10_000 }

/**
 * Starts a service, and restarts it with growing delays whenever it ends. `print` receives a line when it died, and
 * another when it is running again. Throws if the first start fails.
 */
export async function keepAlive<Started extends Service>(
  name: string,
  options: { start(): Promise<Started>; print(line: string): void },
): Promise<KeptAlive<Started>> {
  const { start, print } = options
  const stopping = new AbortController()
  const first = await start()
  let service = first
  const watching = watch()

  async function watch(): Promise<void> {
    for (let waitMs = backoffMs.first; ; ) {
      const startedAt = Date.now()
      const reason = await service.ended
      if (stopping.signal.aborted) return
      print(`${name} ended (${reason}): restarting`)
      if (Date.now() - startedAt > backoffMs.forgottenAfter) waitMs = backoffMs.first
      for (let isBack = false; !isBack; waitMs = Math.min(2 * waitMs, backoffMs.max)) {
        await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => {})
        if (stopping.signal.aborted) return
        isBack = await bringBack()
      }
    }
  }

  async function bringBack(): Promise<boolean> {
    try {
      service = await start()
    } catch (error) {
      print(`${name} does not restart: ${explainFault(error)}`)
      return false
    }
    if (stopping.signal.aborted) await service.stop()
    else print(`${name} is running again`)
    return true
  }

  return {
    first,
    async stop(graceMs) {
      stopping.abort()
      await service.stop(graceMs)
      await watching
    },
  }
}
