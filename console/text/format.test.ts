import { expect, test } from 'vitest'
import { formatIn } from './format.ts'

const [en, de] = [formatIn('en'), formatIn('de')]

test('money is exact: no digit is rounded away, and none is added', () => {
  expect(['0', '12.5', '-3', '0.000000001', '12345678901234.000000001'].map(en.money)).toEqual([
    '$0.00',
    '$12.50',
    '-$3.00',
    '$0.000000001',
    '$12,345,678,901,234.000000001',
  ])
  expect(de.money('1234.5')).toBe('1.234,50\u00a0$')
  expect(en.money('0.00000015')).toBe('$0.00000015')
})

test('rounded money keeps two digits of what is less than a cent', () => {
  expect(['12.3456', '0.0000234', '0', '0.01'].map(en.roundMoney)).toEqual([
    '$12.35',
    '$0.000023',
    '$0.00',
    '$0.01',
  ])
})

test('a day has no time zone, and durations have a unit', () => {
  expect([en.day('2026-11-26'), de.day('2026-11-26')]).toEqual(['Nov 26', '26. Nov.'])
  expect([en.duration(840), en.duration(2437), de.duration(2437)]).toEqual(['840 ms', '2.44 s', '2,44 s'])
})
