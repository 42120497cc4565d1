import { expect, test } from 'vitest'
import { inOrder, moved, prioritiesFor } from './order.ts'

const credential = (id: string, priority: number, day: number) => ({
  id,
  priority,
  createdAt: `2026-11-0${day}T00:00:00Z`,
})

const idsOf = (list: { id: string }[]) => list.map(({ id }) => id).join('')

test('credentials are tried by priority, then the newest first', () => {
  expect(idsOf(inOrder([credential('a', 0, 1), credential('b', 5, 1), credential('c', 0, 2)]))).toBe('bca')
})

test('after each possible move, the new priorities have the order of the list', () => {
  const list = inOrder([1, 2, 3, 4].map(day => credential(String(day), day % 2, day)))
  for (const from of list.keys())
    for (const to of list.keys()) {
      const wanted = moved(list, from, to)
      expect(wanted[to]).toBe(list[from])
      const changes = new Map(prioritiesFor(wanted).map(({ id, priority }) => [id, priority]))
      const changed = list.map(one => ({ ...one, priority: changes.get(one.id) ?? one.priority }))
      expect(idsOf(inOrder(changed))).toBe(idsOf(wanted))
    }
})

test('a list in order changes nothing', () => {
  expect(prioritiesFor([credential('a', 1, 1), credential('b', 0, 1)])).toEqual([])
})
