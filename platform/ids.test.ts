import { expect, onTestFinished, test, vi } from 'vitest'
import { aDatabaseForThisTest } from '../test/harness/a-database.ts'
import { systemIds } from './ids.ts'

const timeOf = (id: string) => Number.parseInt(id.slice(-32, -20), 16)

test('ids sort in the order in which they were made, also of one millisecond, and tell the time', () => {
  const startedAt = Date.now()
  const ids = Array.from({ length: 20_000 }, () => systemIds.tagged('x_'))
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.every(id => /^x_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/.test(id))).toBe(true)
  expect(timeOf(ids[0]!)).toBeGreaterThanOrEqual(startedAt)
  expect(timeOf(systemIds.uuid().replaceAll('-', ''))).toBeLessThanOrEqual(Date.now() + 5)
})

test('a clock that is set is followed', () => {
  const now = Date.now()
  const clock = vi.spyOn(Date, 'now')
  onTestFinished(() => clock.mockRestore())
  for (const at of [now + 3_600_000, now - 3_600_000, now]) {
    clock.mockReturnValue(at)
    expect(timeOf(systemIds.tagged(''))).toBe(at)
  }
})

test('those that the database makes are alike', async () => {
  const { sql } = await aDatabaseForThisTest()
  const startedAt = Date.now()
  const made: string[] = []
  for (let turn = 0; turn < 20; turn++) {
    const [row] = await sql<{ id: string }[]>`select new_id('x_') as id`
    made.push(row!.id)
  }
  expect(made.toSorted()).toEqual(made)
  expect(made.every(id => /^x_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/.test(id))).toBe(true)
  expect(timeOf(made[0]!)).toBeGreaterThanOrEqual(startedAt)
  expect(timeOf(made.at(-1)!)).toBeLessThanOrEqual(Date.now())
})
