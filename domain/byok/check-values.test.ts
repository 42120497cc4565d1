import { expect, test } from 'vitest'
import { checkAddress } from './check-values.ts'

const check = (text: string, allowLoopback = false) =>
  checkAddress(text, { param: 'baseUrl', rules: { allowLoopback } })

test('an address is answered in its one form', () => {
  expect(check('https://API.example.com:443/v1/')).toBe('https://api.example.com/v1')
  expect(check('https://api.example.com')).toBe('https://api.example.com')
  expect(check('https://8.8.8.8:8443/x')).toBe('https://8.8.8.8:8443/x')
  expect(check('https://[2606:4700::1111]')).toBe('https://[2606:4700::1111]')
})

test.each(['http://127.0.0.1:4010/v1', 'http://localhost:4010', 'http://[::1]:4010', 'https://127.1/'])(
  '%s is taken where the operator allows loopback, and nowhere else',
  text => {
    expect(check(text, true)).toMatch(/^https?:/)
    expect(() => check(text)).toThrow(/baseUrl/)
  },
)

test.each([
  'http://10.0.0.1',
  'https://10.0.0.1',
  'http://api.example.com',
  'https://169.254.169.254',
  'ftp://127.0.0.1',
])('%s is refused although loopback is allowed', text => expect(() => check(text, true)).toThrow(/baseUrl/))
