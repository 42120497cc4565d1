import { expect, test } from 'vitest'
import { openAccountShares } from './account-share.ts'

test('an account has its share and no more, whatever others have; what it gives back it may take again', () => {
  const shares = openAccountShares(2)
  const first = shares.take('a')
  shares.take('a')
  expect(shares.take('a')).toBeUndefined()
  expect(shares.take('b')).toBeDefined()
  first?.()
  expect(shares.take('a')).toBeDefined()
  expect(shares.take('a')).toBeUndefined()
})
