import { expect, test } from 'vitest'
import { type ExceededBound, openFairQueue } from './fair-queue.ts'

/** A queue of one at a time whose work ends when the test says so. */
function aQueue() {
  const queue = openFairQueue({
    atOnce: 1,
    waitingOfName: 3,
    waiting: 4,
    refusal: (bound: ExceededBound) => new Error(`full: ${bound}`),
  })
  const begun: string[] = []
  const ends: (() => void)[] = []
  const add = (name: string, label = name) =>
    queue.run(name, async () => {
      begun.push(label)
      await new Promise<void>(resolve => ends.push(resolve))
    })
  const endOne = async () => {
    ends.shift()?.()
    await new Promise(setImmediate)
  }
  return { add, begun, endOne }
}

test('names take turns, and one piece of work runs at a time', async () => {
  const { add, begun, endOne } = aQueue()
  const all = [add('a', 'a1'), add('a', 'a2'), add('a', 'a3'), add('b', 'b1')]
  expect(begun).toEqual(['a1'])
  for (let turn = 0; turn < 4; turn++) await endOne()
  await Promise.all(all)
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3'])
})

test('too much waiting work is refused, of one name and of all together, until some has ended', async () => {
  const { add, begun, endOne } = aQueue()
  const all = [add('a'), add('a'), add('a'), add('a')]
  await expect(add('a')).rejects.toThrow('full: name')
  all.push(add('b'))
  await expect(add('c')).rejects.toThrow('full: all')
  await endOne()
  all.push(add('c'))
  for (let turn = 0; turn < 5; turn++) await endOne()
  await Promise.all(all)
  expect(begun).toEqual(['a', 'a', 'b', 'a', 'c', 'a'])
})

test('work that fails gives its place to the next', async () => {
  const queue = openFairQueue({ atOnce: 1, waitingOfName: 1, waiting: 1, refusal: () => new Error('full') })
  await expect(queue.run('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  expect(await queue.run('a', async () => 'done')).toBe('done')
})
