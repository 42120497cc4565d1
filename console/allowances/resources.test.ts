import { expect, test } from 'vitest'
import { allowanceTable } from '../../schema/allowances.ts'
import { limitText, resourceTexts, windowText } from './resources.ts'

test('every resource of the service has a text in each language', () => {
  const resources = Object.keys(allowanceTable).toSorted()
  expect(Object.keys(resourceTexts.en).toSorted()).toEqual(resources)
  expect(Object.keys(resourceTexts.de).toSorted()).toEqual(resources)
})

test('bytes and windows have the unit in which people read them', () => {
  const inBytes = (limit: number) => limitText({ limit, unit: 'bytes' }, 'en')
  expect([0, 999, 8_000_000, 21_500_000_000].map(inBytes)).toEqual(['0 byte', '999 byte', '8 MB', '21.5 GB'])
  expect(limitText({ limit: 5000, unit: 'requests' }, 'de')).toBe('5.000')
  expect([1, 10, 900, 3600, 86_400].map(seconds => windowText(seconds, 'en'))).toEqual([
    '1 second',
    '10 seconds',
    '15 minutes',
    '1 hour',
    '1 day',
  ])
})
