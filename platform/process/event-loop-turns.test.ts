import { expect, test } from 'vitest'
import { EventLoopTurns } from './event-loop-turns.ts'

test('turns run one at a time, and the event loop is left to other work after each', async () => {
  const turns = new EventLoopTurns()
  const busyMs = 30
  const first = await turns.begin({ id: 'first' })
  const next = turns.begin({ id: 'next' })
  for (const until = performance.now() + busyMs; performance.now() < until; );
  const endedAt = performance.now()
  first()
  first()
  const end = await next
  expect(performance.now() - endedAt).toBeGreaterThan(busyMs / 2)
  end()
})

test('a turn whose work never ends delays the next one by at most 100 ms', async () => {
  const turns = new EventLoopTurns()
  await turns.begin({ id: 'stuck' })
  const end = await turns.begin({ id: 'other' })
  end()
})
