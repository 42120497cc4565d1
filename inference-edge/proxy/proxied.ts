import { networkOf, networksPerSite, siteOf } from '../../platform/http/addresses.ts'
import { Problem } from '../../schema/errors.ts'

/** How many requests are passed on at the same time, from each network, from each site of IPv6 and from all. */
export interface Proxied {
  /** Takes a place for an address until the answer is called, once or more. Throws `overloaded` where there is none. */
  enter(address: string): () => void
}

/**
 * Opens the count: at most `maxPerNetwork` from one network, and `max` together. The fuller it is, the fewer a network
 * may have: as many as are left.
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
      if (isFull) throw tooMany('Too many requests of this address are in flight.')
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
