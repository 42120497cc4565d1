import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../../platform/clock.ts'
import type { CacheUse } from './prompt.ts'
import { charactersPerToken, countTokens } from './text.ts'

/** The digests of cached prefixes. */
export type PromptCache = LRUCache<string, true>

/** Opens a cache of 20,000 prefixes, which expire five minutes after their last use. */
export function openPromptCache(clock: Clock): PromptCache {
  const perf = { now: () => clock.now() }
  return new LRUCache({ max: 20_000, ttl: 5 * 60_000, ttlResolution: 0, updateAgeOnGet: true, perf })
}

/** The parts of the key of a cache: the caller, the model, and any other partition of the vendor. */
export type CachePartition = readonly (string | null)[]

/** A prefix of a prompt that is looked up in the cache. */
interface Prefix {
  readonly digest: string
  readonly tokens: number
  /** Whether the prefix is added to the cache. */
  readonly isWritten: boolean
}

/** Looks up prefixes of a prompt, shortest first, and adds them to the cache. */
export function usePrefixes(cache: PromptCache, prefixes: Iterable<Prefix>): CacheUse {
  let cachedTokens = 0
  let writtenTokens = 0
  for (const { digest, tokens, isWritten } of prefixes) {
    if (cache.get(digest)) cachedTokens = tokens
    if (!isWritten) continue
    cache.set(digest, true)
    writtenTokens = tokens
  }
  return { cachedTokens, cacheWriteTokens: Math.max(0, writtenTokens - cachedTokens) }
}

/** Minimum length of a cached prompt, in tokens. */
const minimumTokens = 1024
/** Prefixes are cached at multiples of this length, in tokens. */
const stepTokens = 128

/** Yields the prefixes of a prompt in steps of 128 tokens, from 1,024 tokens. */
export function* stepPrefixes(text: string, partition: CachePartition): Iterable<Prefix> {
  const stepCharacters = stepTokens * charactersPerToken
  let digest = JSON.stringify(partition)
  for (let tokens = stepTokens; tokens <= countTokens(text); tokens += stepTokens) {
    const end = tokens * charactersPerToken
    digest = hash('sha1', digest + text.slice(end - stepCharacters, end))
    if (tokens >= minimumTokens) yield { digest, tokens, isWritten: true }
  }
}
