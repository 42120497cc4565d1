import { expect, test } from 'vitest'
import { aRefusal } from '../../test/harness/a-refusal.ts'
import { relyingPartyOf, supportsPasskeys } from './relying-party.ts'

test.each([
  ['https://console.example.com', 'console.example.com', 'https://console.example.com'],
  ['https://console.example.com:8443/rubicon', 'console.example.com', 'https://console.example.com:8443'],
  ['http://localhost:8080', 'localhost', 'http://localhost:8080'],
  ['http://127.0.0.1:8080', 'localhost', 'http://localhost:8080'],
  ['http://[::1]:8080', 'localhost', 'http://localhost:8080'],
])('%s has the RP ID %s and the origin %s', (baseUrl, id, origin) => {
  expect(relyingPartyOf({ baseUrl })).toEqual({ id, origin })
})

test.each(['https://203.0.113.7', 'https://[2001:db8::1]'])(
  '%s has no domain for passkeys',
  async baseUrl => {
    expect(await aRefusal(() => relyingPartyOf({ baseUrl }))).toMatchObject({
      problem: 'passkeys_unavailable',
    })
    expect(supportsPasskeys({ baseUrl })).toBe(false)
  },
)
