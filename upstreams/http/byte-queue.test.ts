import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ByteQueue } from './byte-queue.ts'

/** A queue, and what it did with its connection. */
function aQueue(limitBytes?: number) {
  const done: string[] = []
  const flow = {
    pause: () => void done.push('pause'),
    resume: () => void done.push('resume'),
    stop: () => void done.push('stop'),
  }
  return { queue: new ByteQueue(flow, limitBytes), done }
}

test('what is kept for a reader who does not read is bounded, however small the parts', () => {
  const { queue, done } = aQueue()
  let sent = 0
  for (; done.length === 0; sent++) queue.push(Buffer.of(0x61))
  expect(sent).toBeLessThan(300)
  expect(queue.queuedBytes).toBeLessThan(70_000)
})

test('a turn of the event loop brings a bounded part; all of it comes, in its order', async () => {
  const { queue, done } = aQueue()
  const sent = Buffer.from(Array.from({ length: 60_000 }, (_, index) => index % 251))
  queue.push(sent)
  queue.push(Buffer.from('end'))
  queue.end()
  const sizes: number[] = []
  const read: Buffer[] = []
  let turns = 0
  let reading = true
  const counting = (async () => {
    for (; reading; turns++) await new Promise(resolve => setImmediate(resolve))
  })()
  for (let part = await queue.read(); part; part = await queue.read()) {
    sizes.push(part.length)
    read.push(part)
  }
  reading = false
  await counting
  expect(Buffer.concat(read)).toEqual(Buffer.concat([sent, Buffer.from('end')]))
  expect(Math.max(...sizes)).toBeLessThanOrEqual(16_384)
  expect(turns).toBeGreaterThanOrEqual(sizes.length - 1)
  expect(done).toEqual([])
})

test('an answer longer than its limit is not read on: its connection ends, and so does whoever reads it', async () => {
  const { queue, done } = aQueue(100)
  queue.push(Buffer.alloc(60))
  expect(await queue.read()).toHaveLength(60)
  queue.push(Buffer.alloc(41))
  queue.push(Buffer.alloc(1_000))
  expect([done, queue.queuedBytes]).toEqual([['stop'], 0])
  await expect(queue.read()).rejects.toMatchObject({ kind: 'broken', message: 'the answer is too long' })
  await expect(queue.readAll()).rejects.toMatchObject({ kind: 'broken' })
})

test('a body of megabytes is joined over several turns of the event loop', async () => {
  const { queue } = aQueue()
  const reading = Promise.resolve(queue.readAll())
  const parts = [1, 2, 3, 4].map(each => Buffer.alloc(700_000, each))
  for (const part of parts) {
    queue.push(part)
    await nextTurn()
  }
  queue.end()
  let turns = 0
  let isJoined = false
  void reading.then(() => {
    isJoined = true
  })
  for (; !isJoined; turns++) await nextTurn()
  expect(turns).toBeGreaterThan(3)
  expect((await reading).equals(Buffer.concat(parts))).toBe(true)
})

test('of a body whose beginning is enough, the rest is not read', async () => {
  const { queue, done } = aQueue()
  queue.push(Buffer.alloc(50_000))
  expect(await queue.readStart(1_000)).toHaveLength(1_000)
  expect(done).toEqual(['stop'])
})

test('chunk by chunk nothing is copied, and the connection goes on once all was read', async () => {
  const { queue, done } = aQueue()
  const sent = [Buffer.alloc(40_000, 1), Buffer.alloc(40_000, 2), Buffer.alloc(5, 3)]
  for (const chunk of sent) queue.push(chunk)
  expect(done).toEqual(['pause'])
  for (const chunk of sent) expect(await queue.readChunk()).toBe(chunk)
  expect(done).toEqual(['pause', 'resume'])
  queue.end()
  expect(await queue.readChunk()).toBeUndefined()
})
