import { expect, test } from 'vitest'
import { assignRoles, type Candidate, noPlan, type Plan } from './assign-roles.ts'

const idle = { fullness: 0.1, connections: 10 }
const busy = { fullness: 1.2, connections: 100 }

/** The workers 1, 2, …, by their reports. */
function workers(...reports: Omit<Candidate, 'id'>[]): Candidate[] {
  return reports.map((report, index) => ({ id: index + 1, ...report }))
}

function accepting({ roles }: Plan): number[] {
  return [...roles].filter(([, { accepts }]) => accepts).map(([id]) => id)
}

const one = assignRoles(noPlan, workers(idle, idle, idle), 0)
const two = assignRoles(one, workers(busy, idle, idle), 0)

test('one worker accepts connections, and the others end those that they have', () => {
  expect(accepting(one)).toEqual([1])
  expect(one.roles.get(2)).toEqual({ accepts: false, acceptsWhileBusy: false, connectionsToEnd: 10 })
})

test('a second one accepts while the first is busy, and the first lets some of its connections move', () => {
  expect(two.active).toEqual([1, 2])
  expect(accepting(two)).toEqual([2])
  // 1.2 and 0.1 are 0.65 on average: 46 of the 100 connections move within 20 reports.
  expect(two.roles.get(1)).toEqual({ accepts: false, acceptsWhileBusy: false, connectionsToEnd: 3 })
  expect(accepting(assignRoles(two, workers({ ...busy, fullness: 0.7 }, idle, idle), 100))).toEqual([1, 2])
})

test('no third one accepts until both are busy', () => {
  expect(assignRoles(two, workers(busy, { ...busy, fullness: 0.9 }, idle), 100).active).toEqual([1, 2])
  expect(accepting(assignRoles(two, workers(busy, busy, idle), 100))).toEqual([3])
})

test('where all are busy, all accept and none ends a connection', () => {
  const { roles } = assignRoles(two, workers(busy, busy, busy), 100)
  for (const role of roles.values())
    expect(role).toEqual({ accepts: true, acceptsWhileBusy: true, connectionsToEnd: 0 })
})

test('after ten seconds of little load, the last one stops accepting and ends its connections', () => {
  const little = workers({ ...idle, fullness: 0.4 }, idle, idle)
  const calm = assignRoles(two, little, 1_000)
  expect(assignRoles(calm, little, 10_900).active).toEqual([1, 2])
  const calmer = assignRoles(calm, little, 11_000)
  expect(accepting(calmer)).toEqual([1])
  expect(calmer.roles.get(2)?.connectionsToEnd).toBe(10)
})

test('a moment of more load starts the ten seconds again', () => {
  const [little, more] = [workers(idle, idle, idle), workers({ ...idle, fullness: 0.9 }, idle, idle)]
  const calm = assignRoles(two, little, 1_000)
  const again = assignRoles(assignRoles(calm, more, 10_000), little, 10_100)
  expect(assignRoles(again, little, 20_000).active).toEqual([1, 2])
  expect(assignRoles(again, little, 20_100).active).toEqual([1])
})

test('a worker that ended is replaced, and its successor does not get its place', () => {
  const all = workers(idle, idle, idle)
  const replaced = assignRoles(one, all.slice(1), 100)
  expect(accepting(replaced)).toEqual([2])
  const successor = { ...idle, id: 4 }
  expect(accepting(assignRoles(replaced, [...all.slice(1), successor], 200))).toEqual([2])
})

test('while no worker serves, the plan stays as it is', () => {
  expect(assignRoles(two, [], 100)).toBe(two)
})
