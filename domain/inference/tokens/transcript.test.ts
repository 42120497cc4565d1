import { afterAll, describe, expect, test } from 'vitest'
import { openTokenizer, type Tokenizer } from './tokenizer.ts'
import { openTranscript } from './transcript.ts'

const tokenizer = openTokenizer()
afterAll(() => tokenizer.close())

/** Counts what it is given to count: a character a token. */
function aCounter() {
  const counter = { characters: 0 }
  const counting: Tokenizer = {
    async count(texts) {
      const characters = texts.join('').length
      counter.characters += characters
      return characters
    },
    close: async () => {},
  }
  return { counter, counting }
}

describe('what an answer has said', () => {
  test('is counted whole while it is short', async () => {
    const transcript = openTranscript()
    const words = 'The sea is wide, und niemand 今天 kennt 👋🏽 alles darin. '.repeat(40).match(/\s*\S+/g)!
    for (const word of words) transcript.add(word)
    const truth = await tokenizer.count([words.join('')])
    expect(Math.abs((await transcript.count(tokenizer)) - truth)).toBeLessThan(truth / 50)
    expect(transcript.characters).toBe(words.join('').length)
    expect(transcript.minTokens).toBeLessThan(truth * 1.25)
    expect(transcript.maxTokens).toBeGreaterThan(truth)
  })

  test('of a long one a random part is: its memory and its count are bounded, and its share is right', async () => {
    const transcript = openTranscript()
    const { counter, counting } = aCounter()
    for (let piece = 0; piece < 400_000; piece++) transcript.add(' word')
    expect(await transcript.count(counting)).toBe(2_000_000)
    expect(counter.characters).toBeLessThan(300_000)
    expect(counter.characters).toBeGreaterThan(5_000)
  })

  test('nothing is counted before it is asked for, and what was counted is not counted again', async () => {
    const transcript = openTranscript()
    const { counter, counting } = aCounter()
    for (let piece = 0; piece < 6_400; piece++) transcript.add(' word')
    expect(counter.characters).toBe(0)
    await transcript.count(counting)
    await transcript.count(counting)
    expect(counter.characters).toBe(32_000)
  })
})
