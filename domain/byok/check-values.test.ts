import { expect, test } from 'vitest'
import { checkAddress } from './check-values.ts'

const check = (text: string) => checkAddress(text, { param: 'baseUrl', rules: { allowLoopback: false } })

test('an address is answered in its one form', () => {
  expect(check('https://API.example.com:443/v1/')).toBe('https://api.example.com/v1')
  expect(check('https://api.example.com')).toBe('https://api.example.com')
  expect(check('https://8.8.8.8:8443/x')).toBe('https://8.8.8.8:8443/x')
  expect(check('https://[2606:4700::1111]')).toBe('https://[2606:4700::1111]')
})

test('an address that is not public is refused with its parameter', () => {
  expect(() => check('https://10.0.0.1')).toThrow(/baseUrl/)
})
