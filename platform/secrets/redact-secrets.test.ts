import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { redactSecrets, Secrets } from './redact-secrets.ts'

const redact = (text: string, secrets: readonly string[]) => redactSecrets(text, new Secrets(secrets))

const key = 'sk-0123456789'
const pem = '-----BEGIN KEY-----\nMIIEvAIBADANBg\n-----END KEY-----\n'

test.each([
  `Incorrect API key provided: ${key}`,
  `header was "Bearer ${key}"`,
  `no such key ${encodeURIComponent(key)}`,
  `basic ${Buffer.from(key).toString('base64')}`,
  'cannot read MIIEvAIBADANBg',
  JSON.stringify({ service_account: { private_key: pem } }),
])('repeats no secret: %s', text => {
  const told = redact(text, [key, pem])
  expect(told).toContain('***')
  expect(told).not.toMatch(/0123456789|MIIEvAIBADANBg|c2stMDEyMzQ1Njc4OQ/)
})

test('what an Authorization header carries is blanked without being known', () => {
  const told = redact('got {"authorization":"Bearer ya29.a0AfH6SMBx-y_z0123456789"} from you', [])
  expect(told).toBe('got {"authorization":"Bearer ***"} from you')
  expect(redact('Use Bearer authentication.', [])).toBe('Use Bearer authentication.')
})

test('what is no secret is left, and an empty or very short one blanks nothing', () => {
  expect(redact('not in us-east-1', ['', 'us', key])).toBe('not in us-east-1')
})

test.each([
  'Incorrect API key provided: sk-01***********6789. You can find yours at …',
  'key "sk-0...789" is not active',
  'no such key: sk-012…',
  'invalid key ••••6789',
  'XXXXXXXX23456789 was revoked',
])('shows nothing of a secret whose middle is hidden: %s', text => {
  expect(redact(text, [key])).not.toMatch(/sk-0|789/)
})

test('words that hide something else stay', () => {
  const text = 'Loading... wait **now** and call +1 XXXX 12'
  expect(redact(text, [key])).toBe(text)
})

test('a part of a secret is blanked as well', () => {
  expect(redact('the key that ends with 23456789 is old', [key])).toBe('the key that ends with *** is old')
})

test('text and secrets are read once, however they are made', () => {
  const lookUps = (size: number) => {
    const has = vi.spyOn(Set.prototype, 'has')
    const add = vi.spyOn(Set.prototype, 'add')
    redact(
      'aaaa'.repeat(size),
      Array.from({ length: size / 10 }, (_, index) => `aaaa${index}`.padEnd(12, 'a')),
    )
    const count = has.mock.calls.length + add.mock.calls.length
    vi.restoreAllMocks()
    return count
  }
  expect(lookUps(2_000)).toBeLessThan(2.2 * lookUps(1_000))
})

test('more hidden middles than anybody writes are not looked through', () => {
  const told = redact('k**'.repeat(5_000), [key])
  expect(told).toBe(`${'k**'.repeat(32)}k***`)
})

test('of endless words the beginning is told', () => {
  expect(redact('a'.repeat(10_000_000), [key])).toHaveLength(4_096)
})

test('wherever in the words it stands and whatever it is', () => {
  const secret = fc.stringMatching(/^[\x21-\x7e]{8,60}$/).filter(text => !text.includes('*'))
  fc.assert(
    fc.property(secret, secret, fc.string(), fc.string(), (one, other, before, after) => {
      const told = redact(`${before}${one}${after}${other}`, [one, other])
      expect(told).not.toContain(one)
      expect(told).not.toContain(other)
    }),
  )
})

test('a text that repeats a part of a long secret thousands of times is read once', () => {
  expect(redact('a'.repeat(4_096), ['a'.repeat(8_192)])).toBe('***')
})
