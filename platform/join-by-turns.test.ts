import { expect, test } from 'vitest'
import { joinByTurns } from './join-by-turns.ts'

test('parts are joined in their order, and other work has its turns while megabytes are copied', async () => {
  const parts = [Buffer.alloc(1_500_000, 'a'), Buffer.alloc(0), Buffer.from('b'), Buffer.alloc(600_000, 'c')]
  let turns = 0
  let isJoining = true
  const count = () => {
    turns++
    if (isJoining) setImmediate(count)
  }
  setImmediate(count)
  const whole = await joinByTurns(parts)
  isJoining = false
  expect(whole.equals(Buffer.concat(parts))).toBe(true)
  expect(whole.buffer.byteLength).toBe(whole.length)
  expect(turns).toBeGreaterThanOrEqual(3)
})
