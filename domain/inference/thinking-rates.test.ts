import { expect, test } from 'vitest'
import { noUsage } from '../../schema/usage.ts'
import { openThinkingRates } from './thinking-rates.ts'
import { openTranscript } from './tokens/transcript.ts'

/** A whole answer with these thoughts, of which the first text came after `ms`. */
function answer(reasoningTokens: number, ms: number, more: object = {}) {
  const produced = {
    transcript: openTranscript(),
    thoughts: openTranscript(),
    calledAt: 1_000,
    firstChunkAt: 1_000,
    firstTextAt: 1_000 + ms,
    lastAt: 1_000 + ms,
    hadBackPressure: false,
    thinks: undefined,
    ...more,
  }
  return { usage: { ...noUsage, reasoningTokens }, produced }
}

test('a rate is the average over tokens: many small thoughts hardly change it', () => {
  const rates = openThinkingRates()
  expect(rates.perMs('chat.one')).toBeUndefined()
  rates.learn('chat.one', answer(20_000, 200))
  expect(rates.perMs('chat.one')).toBe(100)
  for (let times = 0; times < 50; times++) rates.learn('chat.one', answer(2, 400))
  expect(rates.perMs('chat.one')).toBeGreaterThan(95)
  expect(rates.perMs('chat.two')).toBeUndefined()
})

test('an average follows a vendor that has changed', () => {
  const rates = openThinkingRates()
  for (let times = 0; times < 500; times++) rates.learn('chat.one', answer(1_000, 1_000))
  for (let times = 0; times < 500; times++) rates.learn('chat.one', answer(1_000, 100))
  expect(rates.perMs('chat.one')).toBeGreaterThan(9.5)
})

test('nothing is learned from an answer without thoughts, without text, or with a slow reader', () => {
  const rates = openThinkingRates()
  rates.learn('chat.one', answer(0, 100))
  rates.learn('chat.one', answer(10, 100, { firstTextAt: undefined }))
  rates.learn('chat.one', answer(10, 100, { hadBackPressure: true }))
  expect(rates.perMs('chat.one')).toBeUndefined()
})
