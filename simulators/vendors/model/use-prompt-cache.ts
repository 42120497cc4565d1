import { hash } from 'node:crypto'
import type { Simulator } from '../simulator.ts'
import { charactersPerToken, countTokens } from './text/count-tokens.ts'

/** A cached prefix is forgotten so long after its last use. */
export const CACHE_LIFETIME_MS = 5 * 60 * 1000
/** Prefixes are cached at every multiple of this. */
export const CACHE_STEP_TOKENS = 128

const mostPrefixes = 200_000

/**
 * Looks up how much of a prompt's beginning this partition has seen within five minutes, token by token in steps
 * of 128, and remembers the prompt for the next call. Nothing is shared between partitions.
 * `untilTokens` bounds what may be cached, for wire formats that mark where the cached prefix ends.
 */
export function usePromptCache(
  simulator: Simulator,
  {
    partition,
    text,
    untilTokens = countTokens(text),
  }: { partition: string; text: string; untilTokens?: number },
): { cachedTokens: number; cacheWriteTokens: number } {
  const cacheableTokens = untilTokens - (untilTokens % CACHE_STEP_TOKENS)
  const { cacheMinimumTokens } = simulator.settings
  if (cacheableTokens === 0 || cacheableTokens < cacheMinimumTokens)
    return { cachedTokens: 0, cacheWriteTokens: 0 }

  const { cachedPrefixes } = simulator
  const now = simulator.clock.now()
  forgetOld(cachedPrefixes, now)
  let cachedTokens = 0
  let digest = partition
  for (let tokens = CACHE_STEP_TOKENS; tokens <= cacheableTokens; tokens += CACHE_STEP_TOKENS) {
    digest = hash(
      'sha1',
      digest + text.slice((tokens - CACHE_STEP_TOKENS) * charactersPerToken, tokens * charactersPerToken),
    )
    if (tokens < cacheMinimumTokens) continue
    if (cachedPrefixes.delete(digest)) cachedTokens = tokens
    cachedPrefixes.set(digest, now)
  }
  return { cachedTokens, cacheWriteTokens: cacheableTokens - cachedTokens }
}

/** Drops what is too old or too much from the front, where the longest unused prefixes are. */
function forgetOld(cachedPrefixes: Map<string, number>, now: number): void {
  for (const [digest, lastUsedAt] of cachedPrefixes) {
    if (now - lastUsedAt < CACHE_LIFETIME_MS && cachedPrefixes.size <= mostPrefixes) return
    cachedPrefixes.delete(digest)
  }
}
