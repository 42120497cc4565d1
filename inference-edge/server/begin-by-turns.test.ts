import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { beginByTurns } from './begin-by-turns.ts'
import { type Load, openLoad } from './shed-load.ts'

let load: Load
let begun: number[]
let begin: ReturnType<typeof beginByTurns>
beforeEach(() => {
  load = openLoad()
  begun = []
  begin = beginByTurns(load, ({ turn }: IncomingMessage & { turn?: number }) => begun.push(turn!))
})
afterEach(() => load.close())

/** So many requests come in one turn of the event loop, numbered. */
function come(count: number, { whoLeft = -1 } = {}): void {
  for (let turn = 0; turn < count; turn++)
    begin({ turn } as unknown as IncomingMessage, { destroyed: turn === whoLeft } as ServerResponse)
}

test('all begin at once, unless it is crowded', () => {
  come(255)
  expect(begun).toHaveLength(255)
  expect(load.queued).toBe(0)
})

test('where it is crowded they begin in turns, in the order in which they came', async () => {
  load.inFlight = 256
  come(80)
  expect([begun.length, load.queued]).toEqual([32, 48])
  await nextTurn()
  expect([begun.length, load.queued]).toEqual([64, 16])
  expect(load.queuedSince).toBeGreaterThan(0)
  begin({ turn: 80 } as unknown as IncomingMessage, {} as ServerResponse)
  await nextTurn()
  expect(begun).toEqual(Array.from({ length: 81 }, (_, turn) => turn))
  expect([load.queued, load.queuedSince]).toEqual([0, undefined])
  await nextTurn()
  come(32)
  expect(begun).toHaveLength(113)
})

test('whoever left meanwhile does not begin', async () => {
  load.inFlight = 256
  come(40, { whoLeft: 35 })
  await nextTurn()
  expect(begun).toHaveLength(39)
  expect(begun).not.toContain(35)
})
