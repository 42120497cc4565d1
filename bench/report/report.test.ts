import { expect, test } from 'vitest'
import { formatFigure, printResult } from './print-result.ts'
import { judge, row } from './result.ts'

const requests = {
  label: 'requests/s',
  figures: { floor: 12_345.6, edge: 6_789, ratio: 0.55 },
  targets: { ratio: { min: 0.5 }, edge: { max: 6_000 } },
}

test('a figure is compared with its targets, and one that is not a number misses them', () => {
  expect(judge(requests).map(({ target, isMet }) => [target, isMet])).toEqual([
    ['ratio ≥ 0.5', true],
    ['edge ≤ 6000', false],
  ])
  expect(judge({ ...requests, figures: { ratio: Number.NaN } }).some(({ isMet }) => isMet)).toBe(false)
  expect(judge({ ...requests, targets: { ratio: { min: undefined } } })).toEqual([])
})

test('a result is a table of all figures with targets and faults', () => {
  const rows = [requests, row('p50 ms', { floor: 1.234, added: 12.34 })]
  expect(printResult('hot', { rows, faults: ['edge: 500'] }).split('\n')).toEqual([
    '',
    'hot',
    '               floor   edge  ratio  added',
    '  requests/s  12,346  6,789  0.550         ratio ≥ 0.5 pass, edge ≤ 6000 FAIL',
    '  p50 ms        1.23                 12.3',
    '  WRONG edge: 500',
    '',
  ])
})

test('figures have three significant digits', () => {
  expect([0.0456, 1.5, 45.67, 1_234.6, 3, Number.NaN].map(formatFigure)).toEqual([
    '0.046',
    '1.50',
    '45.7',
    '1,235',
    '3',
    'NaN',
  ])
})
