import { expect, test } from 'vitest'
import { LatestStream } from './latest-stream.ts'

test('of each key a reader finds the latest value, in the order in which they changed', async () => {
  const stream = new LatestStream<{ id: string; at: number }>({ keyOf: ({ id }) => id })
  for (const [index, id] of ['a', 'b', 'a', 'c'].entries()) stream.push({ id, at: index })
  stream.end()
  const read = []
  for await (const { id, at } of stream) read.push(`${id} ${at}`)
  expect(read).toEqual(['b 1', 'a 2', 'c 3'])
})

test('what is merged loses nothing, and what is not wanted is left out', async () => {
  const stream = new LatestStream<number[]>({
    isWanted: list => list.length > 0,
    merge: (unread, next) => [...unread, ...next],
  })
  for (const list of [[1], [], [2, 3]]) stream.push(list)
  expect(await stream.next()).toEqual({ done: false, value: [1, 2, 3] })
  const waiting = stream.next()
  stream.push([4])
  expect(await waiting).toEqual({ done: false, value: [4] })
})

test('a reader that leaves while it waits is told the end, and its leaving is told once', async () => {
  let closed = 0
  const stream = new LatestStream<number>({ onClose: () => closed++ })
  const waiting = stream.next()
  await stream.return()
  await stream.return()
  expect([await waiting, closed]).toEqual([{ done: true, value: undefined }, 1])
})

test('a reader that leaves too many keys unread is cut off, and told why', async () => {
  const limit = { max: 2, fault: () => new Error('too slow') }
  const stream = new LatestStream<number>({ keyOf: String, limit })
  for (const value of [1, 2, 3]) stream.push(value)
  await expect(stream.next()).rejects.toThrow('too slow')
  expect(await stream.next()).toEqual({ done: true, value: undefined })
})
