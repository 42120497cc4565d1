import { expect, test } from 'vitest'
import { describeFailure } from './record-outcomes.ts'

const candidate = { secrets: ['sk-0123456789'] }

test('tells the status and the words of the vendor in one line', () => {
  expect(describeFailure(candidate, { status: 429, message: ' slow\r\n\tdown ' })).toBe('429: slow down')
  expect(describeFailure(candidate, { message: 'no first byte in time' })).toBe('no first byte in time')
})

test('is short', () => {
  const told = describeFailure(candidate, { status: 500, message: 'x'.repeat(5_000) })
  expect([told.length, told.at(-1)]).toEqual([300, '…'])
})

test('is never cut inside a character', () => {
  const told = describeFailure(candidate, { message: `${'x'.repeat(298)}😀 and more` })
  expect([told.length, told.isWellFormed()]).toEqual([300, true])
})

test('repeats no secret, and names what is none', () => {
  const told = describeFailure(candidate, { status: 401, message: 'no sk-0123456789 in us-east-1' })
  expect(told).toBe('401: no *** in us-east-1')
})
