import { expect, test } from 'vitest'
import { domainOf, isPublicDomain } from './mail-domains.ts'

test.each([
  ['ada@example.com', 'example.com', false],
  ['ada@a.b.example.com', 'example.com', false],
  ['ada@mail.example.co.uk', 'example.co.uk', false],
  ['ada@example.co.uk', 'example.co.uk', false],
  ['ada@example.de', 'example.de', false],
  ['ada@ab.de', 'ab.de', false],
  ['ada@gmail.com', 'gmail.com', true],
  ['ada@yahoo.co.uk', 'yahoo.co.uk', true],
  ['ada@constructor', 'constructor', false],
])('%s belongs to %s', (email, domain, isPublic) => {
  expect(domainOf(email)).toBe(domain)
  expect(isPublicDomain(domain)).toBe(isPublic)
})
