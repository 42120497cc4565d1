import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openTurns } from './history.ts'

test('under a name so much runs at once, in order, whoever ends first; other names do not wait', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.nat(3)), { maxLength: 30 }),
      async works => {
        const turns = openTurns({ atOnce: 2, waiting: 100, waitMs: 5_000 })
        const running = { a: 0, b: 0 }
        const begun: number[] = []
        await Promise.all(
          works.map(async ([name, ticks], index) => {
            const done = await turns.take(name)
            begun.push(index)
            running[name] += 1
            expect(running[name]).toBeLessThanOrEqual(2)
            for (let tick = 0; tick < ticks; tick++) await Promise.resolve()
            running[name] -= 1
            done!()
          }),
        )
        for (const name of ['a', 'b']) {
          const own = begun.filter(index => works[index]![0] === name)
          expect(own).toEqual([...own].sort((one, other) => one - other))
        }
      },
    ),
  )
})

test('what would wait behind too many, or for too long, is turned away; its place is free again', async () => {
  const turns = openTurns({ atOnce: 1, waiting: 2, waitMs: 20 })
  const done = await turns.take('a')
  const [first, second, third] = [turns.take('a'), turns.take('a'), turns.take('a')]
  expect(await third).toBeUndefined()
  done!()
  const next = await first
  expect(next).toBeTypeOf('function')
  expect(await second).toBeUndefined()
  next!()
  expect(await turns.take('a')).toBeTypeOf('function')
})
