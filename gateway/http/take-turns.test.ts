import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { aSystem } from '../../test/harness/a-context.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { openTurns } from './take-turns.ts'

const system = perFile(aSystem)

const callFrom = (address: string) => ({ requestId: 'req_1', address })
const busy = callFrom('192.0.2.1')
const neighbour = callFrom('192.0.2.2')
const times = (count: number, call = busy) => Array.from({ length: count }, () => call)

test('a call has its turn before the waiting calls of another network', async () => {
  const turns = openTurns(system.context.allowances)
  const running = await Promise.all(times(16).map(call => turns.begin(call)))
  const order: string[] = []
  const waiting = [...times(20), neighbour].map(async call => {
    const end = await turns.begin(call)
    order.push(call.address)
    end()
  })
  await nextTurn() // all calls wait
  for (const end of running) end()
  await Promise.all(waiting)
  expect(order.indexOf(neighbour.address)).toBeLessThan(2)
})

test('calls that do not end leave their turns to others', async () => {
  const turns = openTurns(system.context.allowances)
  await Promise.all(times(16).map(call => turns.begin(call)))
  const end = await turns.begin(neighbour)
  end()
  end()
})

test('a network with too many waiting calls is refused, and another one is not', async () => {
  const turns = openTurns(system.context.allowances)
  const calls = times(16 + 2_000 + 1).map(call => turns.begin(call))
  await expect(calls.at(-1)).rejects.toMatchObject({ errorName: 'overloaded' })
  await turns.begin(neighbour)
  await Promise.all(calls.slice(0, -1))
})
