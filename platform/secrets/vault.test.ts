import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { openVault } from './vault.ts'

const old = ['2025', randomBytes(32).toString('base64')] as const
const current = ['2026', randomBytes(32).toString('base64')] as const

test('a secret opens only with its own associated data', () => {
  const vault = openVault(new Map([current]))
  const sealed = vault.seal('s3cret', 'account/row/field')
  expect(vault.open(sealed, 'account/row/field')).toBe('s3cret')
  expect(() => vault.open(sealed, 'account/other/field')).toThrow()
})

test('an altered secret does not open', () => {
  const vault = openVault(new Map([current]))
  const sealed = vault.seal('s3cret', 'row')
  for (let at = 0; at < sealed.length; at++) {
    const altered = Buffer.from(sealed)
    altered[at]! ^= 1
    expect(() => vault.open(altered, 'row')).toThrow()
  }
})

test('rotation wraps the same secret with the new master key', () => {
  const sealed = openVault(new Map([old])).seal('s3cret', 'row')
  const rewrapped = openVault(new Map([current, old])).rewrap(sealed, 'row')
  expect(openVault(new Map([current])).open(rewrapped, 'row')).toBe('s3cret')
  expect(() => openVault(new Map([current])).open(sealed, 'row')).toThrow(/unknown master key/)
})
