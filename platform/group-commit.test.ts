import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { GroupCommit } from './group-commit.ts'

function aRecorder(options: { maxBatch?: number } = {}) {
  const batches: number[][] = []
  let inFlight = 0
  let maxInFlight = 0
  const group = new GroupCommit<number, number>(async items => {
    batches.push(items)
    inFlight += 1
    maxInFlight = Math.max(maxInFlight, inFlight)
    await sleep(10)
    inFlight -= 1
    if (items.includes(13)) throw new Error('unlucky')
    return items.map(item => item * 2)
  }, options)
  return { group, batches, max: () => maxInFlight }
}

test('what one turn brings is one batch, what arrives meanwhile the next', async () => {
  const { group, batches, max } = aRecorder()
  const first = Promise.all([1, 2, 3].map(item => group.add(item)))
  await sleep(5)
  const second = Promise.all([4, 5].map(item => group.add(item)))
  expect([await first, await second]).toEqual([
    [2, 4, 6],
    [8, 10],
  ])
  expect(batches).toEqual([
    [1, 2, 3],
    [4, 5],
  ])
  expect(max()).toBe(1)
})

test('a batch that fails fails its own items alone', async () => {
  const { group } = aRecorder()
  const unlucky = group.add(13)
  await sleep(2)
  const lucky = group.add(1)
  await expect(unlucky).rejects.toThrow('unlucky')
  expect(await lucky).toBe(2)
})

test('a batch is no larger than it may be, and one is under way at a time', async () => {
  const { group, batches, max } = aRecorder({ maxBatch: 2 })
  const all = [1, 2, 3, 4, 5].map(item => group.add(item))
  await sleep(3)
  const late = group.add(6)
  await group.idle()
  expect(await Promise.all([...all, late])).toEqual([2, 4, 6, 8, 10, 12])
  expect(batches.every(batch => batch.length <= 2)).toBe(true)
  expect(max()).toBe(1)
})

test('idle at once when there is nothing to wait for', async () => {
  await aRecorder().group.idle()
})
