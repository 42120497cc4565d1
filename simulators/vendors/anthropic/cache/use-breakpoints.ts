import { hash } from 'node:crypto'
import { countTokens } from '../../model/text/count-tokens.ts'
import { CACHE_LIFETIME_MS } from '../../model/use-prompt-cache.ts'
import type { Simulator } from '../../simulator.ts'
import type { Prefix } from './list-prefixes.ts'

/** A breakpoint looks so far back for a prefix that is cached already. */
const mostStepsBack = 20
const mostPrefixes = 200_000

/**
 * Reads the longest cached prefix that a breakpoint reaches and writes the prompt up to the last breakpoint, each
 * for five minutes since its last use. Nothing is shared between partitions, and nothing too short is cached.
 */
export function useBreakpoints(
  simulator: Simulator,
  options: { partition: string; prefixes: readonly Prefix[]; minimumTokens: number },
): { cachedTokens: number; cacheWriteTokens: number } {
  const { partition, prefixes, minimumTokens } = options
  const minimum = Math.max(minimumTokens, simulator.settings.cacheMinimumTokens)
  const keyOf = ({ text }: Prefix): string => hash('sha1', `${partition}\n${text}`)
  const marked = prefixes.flatMap(({ marks }, index) => (marks > 0 ? index : []))
  const within = (index: number): boolean =>
    marked.some(mark => index <= mark && index >= mark - mostStepsBack)

  let cachedTokens = 0
  let reachedTokens = 0
  for (const [index, prefix] of prefixes.entries()) {
    const tokens = countTokens(prefix.text)
    if (tokens < minimum || !within(index)) continue
    const key = keyOf(prefix)
    const isCached = isFresh(simulator, key)
    if (isCached) cachedTokens = tokens
    if (prefix.marks > 0) reachedTokens = tokens
    if (isCached || prefix.marks > 0) keep(simulator, key)
  }
  return { cachedTokens, cacheWriteTokens: Math.max(0, reachedTokens - cachedTokens) }
}

function isFresh({ cachedPrefixes, clock }: Simulator, key: string): boolean {
  const lastUsedAt = cachedPrefixes.get(key)
  return lastUsedAt !== undefined && clock.now() - lastUsedAt < CACHE_LIFETIME_MS
}

/** What was used last stands last, so that the longest unused goes first when there are too many. */
function keep({ cachedPrefixes, clock }: Simulator, key: string): void {
  cachedPrefixes.delete(key)
  cachedPrefixes.set(key, clock.now())
  const [oldest] = cachedPrefixes.size > mostPrefixes ? cachedPrefixes.keys() : []
  if (oldest !== undefined) cachedPrefixes.delete(oldest)
}
