import { hash } from 'node:crypto'
import type { Simulator } from '../simulator.ts'
import type { CacheUse } from './prompt.ts'
import { charactersPerToken, countTokens } from './text.ts'

/** Time after its last use at which a cached prefix expires. */
const cacheLifetimeMs = 5 * 60 * 1000
/** Minimum length of a cached prompt, in tokens. */
const minimumTokens = 1024
/** Prefixes are cached at multiples of this length, in tokens. */
const stepTokens = 128
const maxPrefixes = 200_000

/** The parts of the key of a cache: the caller, the model, and any other partition of the vendor. */
export type CachePartition = readonly (string | null)[]

/** Looks up the longest cached prefix of a prompt in steps of 128 tokens, then caches the whole prompt for five minutes. */
export function usePromptCache(
  { cachedPrefixes, clock }: Pick<Simulator, 'cachedPrefixes' | 'clock'>,
  text: string,
  partition: CachePartition,
): CacheUse {
  const tokens = countTokens(text)
  const cacheableTokens = tokens - (tokens % stepTokens)
  if (cacheableTokens < minimumTokens) return { cachedTokens: 0, cacheWriteTokens: 0 }
  const now = clock.now()
  const stepCharacters = stepTokens * charactersPerToken
  let cachedTokens = 0
  let digest = JSON.stringify(partition)
  for (let end = stepTokens; end <= cacheableTokens; end += stepTokens) {
    const to = end * charactersPerToken
    digest = hash('sha1', digest + text.slice(to - stepCharacters, to))
    if (end < minimumTokens) continue
    if (isCached(cachedPrefixes, digest, now)) cachedTokens = end
    keepPrefix(cachedPrefixes, digest, now)
  }
  return { cachedTokens, cacheWriteTokens: cacheableTokens - cachedTokens }
}

/** Whether a prefix was used within the last five minutes. */
export function isCached(cachedPrefixes: ReadonlyMap<string, number>, digest: string, now: number): boolean {
  const lastUsedAt = cachedPrefixes.get(digest)
  return lastUsedAt !== undefined && now - lastUsedAt < cacheLifetimeMs
}

/** Stores the use of a prefix. Deletes expired prefixes, and the least recently used ones above 200,000. */
export function keepPrefix(cachedPrefixes: Map<string, number>, digest: string, now: number): void {
  cachedPrefixes.delete(digest)
  cachedPrefixes.set(digest, now)
  for (const [oldest, lastUsedAt] of cachedPrefixes) {
    if (now - lastUsedAt < cacheLifetimeMs && cachedPrefixes.size <= maxPrefixes) return
    cachedPrefixes.delete(oldest)
  }
}
