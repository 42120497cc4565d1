import { expect, test } from 'vitest'
import { aSettingsFile } from '../../test/harness/a-context.ts'
import { readConfig } from './read-config.ts'

const accountId = '0192f3a1-7c4e-7b1a-9d52-3f6e8a1b2c3d'
const entry = { issuer: 'https://id.example.com/', client_id: 'rubicon', client_secret: 'very-secret' }

const issuersOf = (contents: unknown, env: Record<string, string> = {}) =>
  readConfig({ SINGLE_SIGN_ON_FILE: aSettingsFile(contents), ...env }).issuers

test('an issuer has its settings, and defaults for the others', () => {
  const issuers = issuersOf(`
acme:
  title: Acme
  issuer: https://acme.example.com
  client_id: rubicon
  client_secret: very-secret
  scope: openid email groups
  email_verified_claim: xms_edov
  domains: { acme.example: ${accountId} }
  role_claim: groups
  roles: [{ value: platform, role: admin }]
  default_role: viewer
  session_hours: 8
plain:
  issuer: https://id.example.com/
  client_id: rubicon
  client_secret: very-secret
  opens_accounts: true
`)
  expect(issuers.get('acme')).toEqual({
    name: 'acme',
    title: 'Acme',
    url: 'https://acme.example.com',
    clientId: 'rubicon',
    clientSecret: 'very-secret',
    scope: 'openid email groups',
    emailVerifiedClaim: 'xms_edov',
    accountsByDomain: new Map([['acme.example', accountId]]),
    roleClaim: 'groups',
    roles: [{ value: 'platform', role: 'admin' }],
    defaultRole: 'viewer',
    opensAccounts: false,
    sessionHours: 8,
  })
  expect(issuers.get('plain')).toMatchObject({
    title: 'plain',
    url: 'https://id.example.com/', // with its slash: identifiers are compared character by character
    scope: 'openid email profile',
    emailVerifiedClaim: 'email_verified',
    opensAccounts: true,
    sessionHours: 24,
  })
})

const domains = { 'acme.example': accountId }

test.each([
  ['{ not: [yaml', 'it is not valid YAML'],
  [{ Acme: entry }, 'the file has the unknown key Acme'],
  [{ a: { ...entry, secret: 'very-secret' } }, 'a has the unknown key secret'],
  [{ a: { ...entry, client_secret: undefined } }, 'a must have required property'],
  [{ a: { ...entry, client_secret: 'very-secret\n' } }, 'a/client_secret must match pattern'],
  [{ a: { ...entry, issuer: 'file:///etc' } }, 'a/issuer must match pattern'],
  [{ a: { ...entry, scope: 'email' } }, 'a/scope must match pattern'],
  [{ a: { ...entry, domains } }, 'a has domains, so it needs role_claim and roles, or default_role'],
  [{ a: { ...entry, domains: { 'Acme.example': accountId } } }, 'a/domains has the unknown key Acme.example'],
  [{ a: { ...entry, domains: { 'acme.example': 'acme' } } }, 'a/domains/acme.example must match pattern'],
  [{ a: { ...entry, default_role: 'viewer' } }, 'a must have property domains'],
  [{ a: { ...entry, domains, default_role: 'king' } }, 'a/default_role must be equal to constant'],
  [{ a: { ...entry, domains, roles: [{ value: 'x', role: 'admin' }] } }, 'a must have properties role_claim'],
  [{ a: entry, b: entry }, 'b/issuer repeats the issuer of another entry'],
])('an invalid file is refused by the place of its fault, without its secrets: %j', (contents, fault) => {
  expect(() => issuersOf(contents)).toThrow(`SINGLE_SIGN_ON_FILE: ${fault}`)
  expect(() => issuersOf(contents)).not.toThrow(/very-secret/)
})

test('issuers cannot be combined with a foreign issuer, and use HTTPS in production', () => {
  expect(() => issuersOf({ a: entry }, { FOREIGN_JWKS_URL: 'https://keys.example.com' })).toThrow(
    'SINGLE_SIGN_ON_FILE must be unset, because FOREIGN_JWKS_URL is set',
  )
  const plain = { a: { ...entry, issuer: 'http://id.example.com' } }
  expect(issuersOf(plain).size).toBe(1)
  expect(() => issuersOf(plain, { NODE_ENV: 'production' })).toThrow(
    'SINGLE_SIGN_ON_FILE: a/issuer must begin with https:// in production',
  )
})
