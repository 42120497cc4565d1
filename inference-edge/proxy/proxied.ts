import { networkOf, networksPerSite, siteOf } from '../../platform/http/addresses.ts'
import { Problem } from '../../schema/errors.ts'

/** The number of requests that are forwarded at the same time: per network, per IPv6 site and in total. */
export interface Proxied {
  /**
   * Occupies a slot for an address, until the returned function is called. Throws `overloaded` if no slot is free.
   */
  enter(address: string): () => void
}

/**
 * Opens the counter: at most `maxPerNetwork` per network, and `max` in total. A network also gets at most as many
 * slots as are still free.
 */
export function openProxied({ maxPerNetwork, max }: { maxPerNetwork: number; max: number }): Proxied {
  const inFlight = new Map<string, number>()
  const of = (name: string) => inFlight.get(name) ?? 0
  const add = (name: string, change: 1 | -1) => {
    const count = of(name) + change
    if (count === 0) inFlight.delete(name)
    else inFlight.set(name, count)
  }
  let total = 0
  return {
    enter(address) {
      const [network, site] = [networkOf(address), siteOf(address)]
      if (total >= max) throw tooMany()
      const isFull =
        of(network) >= Math.min(maxPerNetwork, max - total) ||
        (site !== undefined && of(site) >= networksPerSite * maxPerNetwork)
      if (isFull) throw tooMany('Too many concurrent requests from this address.')
      const names = site === undefined ? [network] : [network, site]
      for (const name of names) add(name, 1)
      total += 1
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        total -= 1
        for (const name of names) add(name, -1)
      }
    },
  }
}

function tooMany(message?: string): Problem {
  return new Problem('overloaded', { retryAfterSeconds: 1, message })
}
