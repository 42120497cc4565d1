import { expect, test } from 'vitest'
import { checkKeySettings, columnsOf, type KeySettings } from './key-settings.ts'

test('a setting that is left out has no column', () => {
  expect(columnsOf({})).toEqual({ key: {}, budget: {} })
  expect(columnsOf({ name: undefined, expiresAt: undefined, creditLimitNanos: undefined })).toEqual({
    key: {},
    budget: {},
  })
})

test('every setting has its column', () => {
  const shared = {
    name: 'ours',
    ipWhitelist: ['10.0.0.0/8'],
    allowedModels: ['vendor_a/*'],
    allowedVendors: ['openai'],
    rateLimitRpm: 1,
    rateLimitTph: 2,
    rateLimitTpd: 3,
    disabled: true,
    expiresAt: new Date(0),
  }
  expect(columnsOf({ ...shared, creditLimitNanos: 4n, creditResetInterval: 'daily' })).toEqual({
    key: shared,
    budget: { limitNanos: 4n, resetInterval: 'daily' },
  })
})

test('null removes a limit, an expiry, a list and an interval, and leaves the switch as it is', () => {
  const settings = {
    ipWhitelist: null,
    allowedModels: null,
    allowedVendors: null,
    rateLimitRpm: null,
    rateLimitTph: null,
    rateLimitTpd: null,
    disabled: null,
    expiresAt: null,
    creditLimitNanos: null,
    creditResetInterval: null,
  }
  expect(columnsOf(settings)).toEqual({
    key: {
      ipWhitelist: [],
      allowedModels: [],
      allowedVendors: [],
      rateLimitRpm: null,
      rateLimitTph: null,
      rateLimitTpd: null,
      expiresAt: null,
    },
    budget: { limitNanos: null, resetInterval: 'none' },
  })
})

test.each<[message: string, settings: KeySettings]>([
  ['name must not be empty.', { name: null }],
  ['name must not be empty.', { name: ' ' }],
  ['name must have at most 200 characters.', { name: 'x'.repeat(201) }],
  ['allowedModels takes at most 50 patterns.', { allowedModels: Array(51).fill('*') }],
  ['A pattern must be a name', { allowedModels: ['vendor_a/*', ''] }],
  ['A pattern must be a name', { allowedVendors: ['x'.repeat(201)] }],
  ['A pattern must be a name', { allowedVendors: ['vendor a'] }],
  ['rateLimitTph must not be negative.', { rateLimitTph: -1 }],
  ['rateLimitTpd must be a whole number.', { rateLimitTpd: 1.5 }],
  ['creditLimit must not be negative.', { creditLimitNanos: -1n }],
  ['creditLimit must be at most 1000000000 dollars.', { creditLimitNanos: 10n ** 18n + 1n }],
])('a setting is refused: %s', (message, settings) => {
  expect(() => checkKeySettings(settings, { isProvisioning: false })).toThrow(message)
})
