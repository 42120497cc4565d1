import { LRUCache } from 'lru-cache'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aSystem, type TestSystem } from '../../test/harness/a-context.ts'
import type { Standing } from './allowances.ts'
import { Turns } from './turns.ts'

let system: TestSystem
beforeAll(async () => {
  system = await aSystem({ ALLOWANCES: 'queries=1/2' })
})
afterAll(() => system.close())

test('an account has its allowance of turns, and accounts that wait are served round robin', async () => {
  const { begin, begun, end } = someTurns(2)
  for (const name of ['paying-a 1', 'paying-a 2', 'paying-a 3', 'paying-a 4', 'paying-b 1']) begin(name)
  await expect.poll(() => begun).toEqual(['paying-a 1', 'paying-a 2'])
  for (const name of ['paying-a 1', 'paying-a 2', 'paying-a 3']) await end(name)
  expect(begun).toEqual(['paying-a 1', 'paying-a 2', 'paying-a 3', 'paying-b 1', 'paying-a 4'])
})

test('accounts that never paid leave half of the turns to paying ones', async () => {
  const { begin, begun, end } = someTurns(4)
  for (const name of ['free-a 1', 'free-a 2', 'free-b 1', 'free-c 1', 'paying-a 1', 'paying-a 2']) begin(name)
  await expect.poll(() => begun).toEqual(['free-a 1', 'free-b 1', 'paying-a 1', 'paying-a 2'])
  await end('paying-a 1')
  expect(begun).toHaveLength(4)
  await end('free-b 1')
  expect(begun.at(-1)).toBe('free-c 1')
})

test('a request that would wait behind sixty others is refused', async () => {
  const { begin, begun, end } = someTurns(4)
  const requests = Array.from({ length: 62 }, (_, index) => begin(`free-a ${index}`))
  await expect(requests.at(-1)).rejects.toMatchObject({
    code: 'allowance_exceeded',
    details: { param: 'queries' },
  })
  for (let index = 0; index < 61; index++) await end(`free-a ${index}`)
  expect(begun).toHaveLength(61)
})

/** Turns of works named `ACCOUNT NUMBER`, which last until `end`. */
function someTurns(capacity: number) {
  const standings = new LRUCache<string, Promise<Standing>>({ max: 10 })
  const allowances = { ...system.context.allowances, standings }
  const turns = new Turns(allowances, { resource: 'queries', capacity })
  const begun: string[] = []
  const running = new Map<string, () => void>()
  const ended = new Map<string, Promise<void>>()
  const begin = (name: string) => {
    const accountId = name.replace(/ .*/, '')
    const isPaying = accountId.startsWith('paying')
    standings.set(accountId, Promise.resolve({ accountId, isPaying, ownAllowances: new Map() }))
    const work = () => {
      begun.push(name)
      return new Promise<void>(resolve => running.set(name, resolve))
    }
    const done = turns.run(accountId, work)
    done.catch(() => {}) // requests that a test leaves waiting are refused after it
    ended.set(name, done)
    return done
  }
  const end = async (name: string) => {
    running.get(name)?.()
    await ended.get(name)
    await Promise.resolve()
  }
  return { begin, begun, end }
}
