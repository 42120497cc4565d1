import { hash } from 'node:crypto'
import type { Simulator } from '../simulator.ts'
import { charactersPerToken, countTokens } from './text.ts'

/** A cached prefix is forgotten so long after its last use. */
export const cacheLifetimeMs = 5 * 60 * 1000
/** Prefixes are cached at every multiple of this. */
const stepTokens = 128
const maxPrefixes = 200_000

/** Who shares cached prefixes: the caller, the model and whatever else the vendor keeps apart. */
export type CachePartition = readonly (string | null)[]

/** Of a prompt, how many tokens were cached before, and how many this call put into the cache. */
export interface CacheUse {
  readonly cachedTokens: number
  readonly cacheWriteTokens: number
}

/**
 * Looks up how much of a prompt's beginning this partition has seen within five minutes, in steps of 128 tokens, and
 * remembers the prompt for the next call. Nothing is shared between partitions.
 */
export function usePromptCache(
  { settings, cachedPrefixes, clock }: Pick<Simulator, 'settings' | 'cachedPrefixes' | 'clock'>,
  { partition, text }: { partition: CachePartition; text: string },
): CacheUse {
  const tokens = countTokens(text)
  const cacheableTokens = tokens - (tokens % stepTokens)
  if (cacheableTokens === 0 || cacheableTokens < settings.cacheMinimumTokens)
    return { cachedTokens: 0, cacheWriteTokens: 0 }
  const now = clock.now()
  const stepCharacters = stepTokens * charactersPerToken
  let cachedTokens = 0
  let digest = JSON.stringify(partition)
  for (let end = stepTokens; end <= cacheableTokens; end += stepTokens) {
    const to = end * charactersPerToken
    digest = hash('sha1', digest + text.slice(to - stepCharacters, to))
    if (end < settings.cacheMinimumTokens) continue
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

/** Notes the use of a prefix. The last used comes last; what is too old or too much is dropped from the front. */
export function keepPrefix(cachedPrefixes: Map<string, number>, digest: string, now: number): void {
  cachedPrefixes.delete(digest)
  cachedPrefixes.set(digest, now)
  for (const [oldest, lastUsedAt] of cachedPrefixes) {
    if (now - lastUsedAt < cacheLifetimeMs && cachedPrefixes.size <= maxPrefixes) return
    cachedPrefixes.delete(oldest)
  }
}
