import { afterEach, expect, test, vi } from 'vitest'
import { FairQueue, type FairQueueOptions } from './fair-queue.ts'

afterEach(() => void vi.useRealTimers())

test('owners take turns, however many entries one of them has', async () => {
  const { add, begun, end } = aQueue({ slots: 1 })
  for (const name of ['a 1', 'a 2', 'a 3', 'b 1']) void add(name)
  await settled()
  for (const name of ['a 1', 'a 2', 'b 1', 'a 3']) {
    expect(begun.at(-1)).toBe(name)
    await end(name)
  }
})

test('an owner has at most its own number of slots', async () => {
  const { add, begun } = aQueue({ slots: 4 })
  for (const name of ['a 1', 'a 2', 'a 3', 'b 1']) void add(name, { maxSlots: 2 })
  await settled()
  expect(begun).toEqual(['a 1', 'a 2', 'b 1'])
})

test('owners without preference get one slot in four while others wait, and all when none does', async () => {
  const { add, begun, end } = aQueue({ slots: 1 })
  for (let at = 0; at < 4; at++) void add(`free ${at}`)
  for (let at = 0; at < 8; at++) void add(`paying-${at} 1`, { isPreferred: true })
  await settled()
  for (let at = 0; at < 11; at++) await end(begun[at]!)
  expect(
    begun
      .map(name => name.startsWith('free'))
      .slice(0, 8)
      .filter(Boolean),
  ).toHaveLength(2)
  expect(begun).toHaveLength(12)
})

test('owners without preference leave the slots that are not theirs', async () => {
  const { add, begun, end } = aQueue({ slots: 4, otherSlots: 2 })
  for (const name of ['free-a 1', 'free-b 1', 'free-c 1']) void add(name)
  for (const name of ['paying 1', 'paying 2']) void add(name, { isPreferred: true })
  await settled()
  expect(begun).toEqual(['free-a 1', 'free-b 1', 'paying 1', 'paying 2'])
  await end('paying 1')
  expect(begun).toHaveLength(4)
  await end('free-b 1')
  expect(begun.at(-1)).toBe('free-c 1')
})

test('too many waiting entries are refused, of one owner and of all together, until one has a slot', async () => {
  const { add, begun, end } = aQueue({ slots: 1, maxWaitingPerOwner: 3, maxWaiting: 4 })
  for (const name of ['a 1', 'a 2', 'a 3', 'a 4']) void add(name)
  await expect(add('a 5')).rejects.toThrow('owner of a')
  void add('b 1')
  await expect(add('c 1')).rejects.toThrow('all of c')
  await end('a 1')
  void add('c 1')
  for (let at = 1; at < 6; at++) await end(begun[at]!)
  expect(begun).toEqual(['a 1', 'a 2', 'b 1', 'a 3', 'c 1', 'a 4'])
})

test('an entry that waits too long is refused and gets no slot', async () => {
  vi.useFakeTimers()
  const { add, begun, end } = aQueue({ slots: 1, maxWaitMs: 1_000 })
  void add('a 1')
  const late = expect(add('b 1')).rejects.toThrow('time of b')
  await vi.advanceTimersByTimeAsync(1_000)
  await late
  await end('a 1')
  expect(begun).toEqual(['a 1'])
})

test('work that fails leaves its slot', async () => {
  const queue = new FairQueue({ slots: 1 })
  await expect(queue.run({ id: 'a' }, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  expect(await queue.run({ id: 'a' }, async () => 'done')).toBe('done')
})

/** A queue of works named `OWNER NUMBER`, which last until `end`. */
function aQueue(options: FairQueueOptions<{ id: string }>) {
  const queue = new FairQueue({ ...options, refusal: (bound, { id }) => new Error(`${bound} of ${id}`) })
  const begun: string[] = []
  const running = new Map<string, () => void>()
  const done = new Map<string, Promise<void>>()
  const add = (name: string, owner: { isPreferred?: boolean; maxSlots?: number } = {}) => {
    const work = queue.run({ id: name.replace(/ .*/, ''), ...owner }, () => {
      begun.push(name)
      return new Promise<void>(resolve => running.set(name, resolve))
    })
    done.set(name, work)
    return work
  }
  const end = async (name: string) => {
    running.get(name)?.()
    await done.get(name)
    await settled()
  }
  return { add, begun, end }
}

/** Lets the works begin that have a slot. */
async function settled(): Promise<void> {
  for (let step = 0; step < 4; step++) await Promise.resolve()
}
