import { setTimeout as sleep } from 'node:timers/promises'
import { explainFault } from '../../platform/process/explain-fault.ts'
import type { Service } from '../services/spawn-service.ts'

/** A service that comes back when it dies. */
export interface KeptAlive<Started extends Service = Service> {
  /** What its first start gave. */
  first: Started
  /** Ends it for good. After `graceMs` it is killed. */
  stop(graceMs?: number): Promise<void>
}

/** Waits between two tries to bring a service back; a life of ten seconds forgets earlier deaths. */
const backoffMs = { first: 200, most: 5000, forgottenAfter: 10_000 }

/**
 * Starts a service, throws when that fails, and from then on starts it again whenever it ends, with growing waits.
 * `tell` is given one line when it died, and one when it is back.
 */
export async function keepAlive<Started extends Service>(
  name: string,
  options: { start(): Promise<Started>; tell(line: string): void },
): Promise<KeptAlive<Started>> {
  const { start, tell } = options
  const stopping = new AbortController()
  const first = await start()
  let service = first
  const watching = watch()

  async function watch(): Promise<void> {
    for (let waitMs = backoffMs.first; ; ) {
      const startedAt = Date.now()
      const reason = await service.ended
      if (stopping.signal.aborted) return
      tell(`${name} ended (${reason}): starting it again`)
      if (Date.now() - startedAt > backoffMs.forgottenAfter) waitMs = backoffMs.first
      for (let isBack = false; !isBack; waitMs = Math.min(2 * waitMs, backoffMs.most)) {
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
      tell(`${name} does not come back: ${explainFault(error)}`)
      return false
    }
    if (stopping.signal.aborted) await service.stop()
    else tell(`${name} is back`)
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
