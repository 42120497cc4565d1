import { expect, test } from 'vitest'
import { chosenColumns, toggleColumn } from './chosen-columns.ts'

const names = ['model', 'status', 'cost'] as const

test('the address has known columns in their order', () => {
  expect(chosenColumns(['cost', 'unknown', 'model'], names)).toEqual(['model', 'cost'])
  for (const parameter of [undefined, 'cost', [], ['unknown'], { 0: 'cost' }])
    expect(chosenColumns(parameter, names)).toBeUndefined()
})

test('a column is added in its place or removed, and the last one stays', () => {
  expect(toggleColumn(['model', 'cost'], 'status', names)).toEqual(['model', 'status', 'cost'])
  expect(toggleColumn(['model', 'cost'], 'model', names)).toEqual(['cost'])
  expect(toggleColumn(['cost'], 'cost', names)).toEqual(['cost'])
})
