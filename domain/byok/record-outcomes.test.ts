import { expect, test } from 'vitest'
import { Secrets } from '../../platform/secrets/redact-secrets.ts'
import { describeFailure } from './record-outcomes.ts'

const credential = { secrets: new Secrets(['sk-0123456789']) }

test('one line carries the status and the message of the vendor', () => {
  expect(describeFailure(credential, { status: 429, message: ' slow\r\n\tdown ' })).toBe('429: slow down')
  expect(describeFailure(credential, { message: 'no first byte in time' })).toBe('no first byte in time')
})

test('a long message is cut', () => {
  const text = describeFailure(credential, { status: 500, message: 'x'.repeat(5_000) })
  expect([text.length, text.at(-1)]).toEqual([300, '…'])
})

test('no character is cut in half', () => {
  const text = describeFailure(credential, { message: `${'x'.repeat(298)}😀 and more` })
  expect([text.length, text.isWellFormed()]).toEqual([300, true])
})

test('secrets are masked, and nothing else', () => {
  const text = describeFailure(credential, { status: 401, message: 'no sk-0123456789 in us-east-1' })
  expect(text).toBe('401: no *** in us-east-1')
})
