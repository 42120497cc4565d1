import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { partBytes, waitForTurn } from './byte-turns.ts'

test('however many bodies are moved at once, a turn moves half a megabyte, and all of them proceed alike', async () => {
  const moved = new Array<number>(50).fill(0)
  const move = async (body: number) => {
    for (let part = 0; part < 16; part++) {
      await waitForTurn(partBytes)
      moved[body]! += 1
    }
  }
  const sum = () => moved.reduce((total, parts) => total + parts, 0)
  await nextTurn() // the turns of other tests are over
  const moving = Promise.all(moved.map((_, body) => move(body)))
  for (let before = 0; sum() < 800; before = sum()) {
    await nextTurn()
    expect(sum() - before).toBeLessThanOrEqual(16) // the check may fall between two turns
    expect(Math.max(...moved) - Math.min(...moved)).toBeLessThanOrEqual(2)
  }
  await moving
})
