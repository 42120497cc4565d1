import fc from 'fast-check'
import { expect, test } from 'vitest'
import { blankSecrets } from './blank-secrets.ts'

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
  const told = blankSecrets(text, [key, pem])
  expect(told).toContain('***')
  expect(told).not.toMatch(/0123456789|MIIEvAIBADANBg|c2stMDEyMzQ1Njc4OQ/)
})

test('what an Authorization header carries is blanked without being known', () => {
  const told = blankSecrets('got {"authorization":"Bearer ya29.a0AfH6SMBx-y_z0123456789"} from you', [])
  expect(told).toBe('got {"authorization":"Bearer ***"} from you')
  expect(blankSecrets('Use Bearer authentication.', [])).toBe('Use Bearer authentication.')
})

test('what is no secret is left, and an empty or very short one blanks nothing', () => {
  expect(blankSecrets('not in us-east-1', ['', 'us', key])).toBe('not in us-east-1')
})

test('wherever in the words it stands and whatever it is', () => {
  const secret = fc.stringMatching(/^[\x21-\x7e]{8,60}$/).filter(text => !text.includes('*'))
  fc.assert(
    fc.property(secret, secret, fc.string(), fc.string(), (one, other, before, after) => {
      const told = blankSecrets(`${before}${one}${after}${other}`, [one, other])
      expect(told).not.toContain(one)
      expect(told).not.toContain(other)
    }),
  )
})
