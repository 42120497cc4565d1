import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { longestRun, sliceRuns } from './slice-runs.ts'
import { openTokenizer } from './tokenizer.ts'

/** What byte pair encoding does at most: the square of each run's length. */
function workOf(text: string): number {
  let work = 0
  for (const slice of sliceRuns(text)) {
    for (const [run] of slice.matchAll(/[\s]+|[^\s]+/g)) work += run.length ** 2
  }
  return work
}

const unit = fc.constantFrom('a', ' ', '今', '👋', '🏽', '\ud83d', '8', '\n', '\u3000', '-', 'é')
const runs = fc.array(fc.tuple(unit, fc.nat(300)), { maxLength: 40 })

describe('a text that is cut for counting', () => {
  test('loses nothing, and no run of it is long: the work grows with its length alone', () => {
    fc.assert(
      fc.property(runs, parts => {
        const text = parts.map(([what, count]) => what.repeat(count)).join('')
        expect([...sliceRuns(text)].join('')).toBe(text)
        expect(workOf(text)).toBeLessThanOrEqual((longestRun + 1) * text.length)
      }),
    )
  })

  test.each(['a', ' ', '今', '👋🏽', '8', '\n', '=', 'ab12'])(
    'doubled in length doubles the work: %j',
    what => {
      const one = workOf(what.repeat(10_000))
      expect(workOf(what.repeat(20_000))).toBeLessThanOrEqual(2.1 * one)
    },
  )
})

describe('the tokenizer', () => {
  const tokenizer = openTokenizer()

  test.each<[string, string, number]>([
    ['words', 'The quick brown fox jumps over the lazy dog.', 10],
    ['Chinese', '今天天气很好，我们一起去公园散步。', 12],
    ['emoji', '👋🏽', 4],
    ['what reads like a control token', '<|endoftext|>', 7],
    ['nothing', '', 0],
    ['half a character', '\ud83d', 1],
  ])('counts %s', async (_, text, tokens) => {
    expect(await tokenizer.count([text])).toBe(tokens)
  })

  test('counts long prose as the vocabulary does', async () => {
    const prose = 'It was the best of times, it was the worst of times, and nobody could tell which. '.repeat(
      400,
    )
    const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base')
    const truth = countTokens(prose)
    expect(Math.abs((await tokenizer.count([prose])) - truth)).toBeLessThan(truth / 100)
  })
})
