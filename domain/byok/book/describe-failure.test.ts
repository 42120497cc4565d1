import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeFailure } from './describe-failure.ts'

const candidate = {
  apiKey: 'sk-0123456789',
  config: {
    region: 'us-east-1',
    service_account: { private_key: '-----BEGIN KEY-----\nMIIEvAIBADANBg\n-----END KEY-----\n' },
  },
}

test('tells the status and the words of the vendor in one line', () => {
  expect(describeFailure(candidate, { status: 429, message: ' slow\r\n\tdown ' })).toBe('429: slow down')
  expect(describeFailure(candidate, { message: 'no first byte in time' })).toBe('no first byte in time')
})

test('is short', () => {
  const told = describeFailure(candidate, { status: 500, message: 'x'.repeat(5_000) })
  expect([told.length, told.at(-1)]).toEqual([300, '…'])
})

test.each([
  'Incorrect API key provided: sk-0123456789',
  'header was "Bearer sk-0123456789"',
  `no such key ${encodeURIComponent('sk-0123456789')}`,
  `basic ${Buffer.from('sk-0123456789').toString('base64')}`,
  'cannot read MIIEvAIBADANBg',
  JSON.stringify(candidate.config),
])('repeats no secret: %s', message => {
  const told = describeFailure(candidate, { status: 401, message })
  expect(told).toContain('***')
  expect(told).not.toMatch(/0123456789|MIIEvAIBADANBg|c2stMDEyMzQ1Njc4OQ/)
})

test('names what is no secret', () => {
  expect(describeFailure(candidate, { message: 'not in us-east-1' })).toBe('not in us-east-1')
})

test('repeats no secret, wherever in the words it stands and whatever it is', () => {
  const secret = fc.stringMatching(/^[\x21-\x7e]{8,60}$/).filter(text => !text.includes('*'))
  fc.assert(
    fc.property(secret, secret, fc.string(), fc.string(), (apiKey, token, before, after) => {
      const told = describeFailure(
        { apiKey, config: { token } },
        { message: `${before}${apiKey}${after}${token}` },
      )
      expect(told).not.toContain(apiKey)
      expect(told).not.toContain(token)
    }),
  )
})
