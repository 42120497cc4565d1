import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../platform/clock.ts'
import { createSimulator } from '../simulator.ts'
import { usePromptCache } from './prompt-cache.ts'
import { charactersPerToken, writeWords } from './text.ts'

const long = writeWords(5000, 1)
const textOf = (tokens: number): string => long.slice(0, tokens * charactersPerToken)

function aSimulator({ cacheMinimumTokens = 1024 } = {}) {
  let now = 1_000_000
  const simulator = createSimulator({
    clock: { ...systemClock, now: () => now },
    settings: { cacheMinimumTokens },
  })
  return {
    cachedTokens: (partition: string, text: string) =>
      usePromptCache(simulator, { partition: [partition], text }).cachedTokens,
    write: (partition: string, text: string) =>
      usePromptCache(simulator, { partition: [partition], text }).cacheWriteTokens,
    pass: (passedMs: number) => {
      now += passedMs
    },
  }
}

describe('usePromptCache', () => {
  it('finds again what it has seen, in steps of 128 tokens', () => {
    const cache = aSimulator()
    expect(cache.cachedTokens('a', textOf(1300))).toBe(0)
    expect(cache.cachedTokens('a', textOf(1300))).toBe(1280)
  })

  it('finds the common beginning of two different prompts', () => {
    const cache = aSimulator()
    cache.cachedTokens('a', textOf(2000))
    expect(cache.cachedTokens('a', `${textOf(1500)}something else entirely ${writeWords(500, 9)}`)).toBe(1408)
  })

  it('caches nothing shorter than the minimum', () => {
    const cache = aSimulator()
    cache.cachedTokens('a', textOf(1023))
    expect(cache.cachedTokens('a', textOf(1023))).toBe(0)
    cache.cachedTokens('a', textOf(1024))
    expect(cache.cachedTokens('a', textOf(1024))).toBe(1024)
  })

  it('finds no beginning shorter than the minimum', () => {
    const cache = aSimulator({ cacheMinimumTokens: 2048 })
    cache.cachedTokens('a', textOf(3000))
    expect(cache.cachedTokens('a', `${textOf(1800)} and then otherwise ${writeWords(3000, 9)}`)).toBe(0)
  })

  it('shares nothing between partitions', () => {
    const cache = aSimulator()
    cache.cachedTokens('a', textOf(2000))
    expect(cache.cachedTokens('b', textOf(2000))).toBe(0)
  })

  it('forgets five minutes after the last use, not after the first', () => {
    const cache = aSimulator()
    cache.cachedTokens('a', textOf(1280))
    cache.pass(299_999)
    expect(cache.cachedTokens('a', textOf(1280))).toBe(1280)
    cache.pass(299_999)
    expect(cache.cachedTokens('a', textOf(1280))).toBe(1280)
    cache.pass(300_000)
    expect(cache.cachedTokens('a', textOf(1280))).toBe(0)
  })

  it('says what a call wrote beyond what was cached', () => {
    const cache = aSimulator()
    expect(cache.cachedTokens('a', textOf(1100))).toBe(0)
    expect(cache.write('a', textOf(3000))).toBe(2944 - 1024)
  })
})
