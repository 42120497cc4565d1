import { createServer } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listen } from '../../platform/http/listen.ts'
import { aControlPlane, type ControlPlane } from '../../test/harness/a-control-plane.ts'
import { anAccount } from '../../test/harness/an-account.ts'

const issuer = 'https://id.example.com'
const audience = 'rubicon'
let control: ControlPlane
let accountId: string
let drain: () => Promise<void>
let trusted: CryptoKey
let stranger: CryptoKey

beforeAll(async () => {
  const [ours, theirs] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')])
  trusted = ours.privateKey
  stranger = theirs.privateKey
  const keys = [{ ...(await exportJWK(ours.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }]
  const server = createServer((_, response) => response.end(JSON.stringify({ keys })))
  const listening = await listen(server, { host: '127.0.0.1', port: 0 })
  drain = () => listening.drain(0)
  control = await aControlPlane({
    FOREIGN_JWKS_URL: `${listening.url}/keys`,
    FOREIGN_ISSUER: issuer,
    FOREIGN_AUDIENCE: audience,
  })
  accountId = (await anAccount(control.context)).accountId
})
afterAll(async () => {
  await control.close()
  await drain()
})

const statusWith = async (token: string) => (await control.rest('GET', '/api-keys', { token })).status

function aToken(claims: Record<string, unknown> = {}, key = trusted, header = {}): Promise<string> {
  return new SignJWT({ account_id: accountId, sub: 'someone', iss: issuer, aud: audience, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'one', ...header })
    .setExpirationTime(typeof claims.exp === 'number' ? claims.exp : '5m')
    .sign(key)
}

test('a token of the trusted issuer is a session of the account in its claims', async () => {
  const token = await aToken()
  expect((await control.rest('GET', '/me', { token })).body.id).toBe(accountId)
  const made = await control.rest('POST', '/api-keys', { token, body: { name: 'theirs' } })
  expect(made.status).toBe(201)
  const listed = await control.rest('GET', '/api-keys', { token })
  expect(listed.body[0].created_by).toBe('someone')
})

test('the claim `role` names the role of the session; without it, the role is admin', async () => {
  const createWith = async (role?: string) => {
    const answer = await control.rest('POST', '/api-keys', {
      token: await aToken({ role }),
      body: { name: 'x' },
    })
    return answer.status
  }
  expect(await createWith()).toBe(201)
  expect(await createWith('developer')).toBe(201)
  expect(await createWith('viewer')).toBe(403)
  expect(await createWith('root')).toBe(401)
})

test('tokens of other issuers, keys or accounts and expired tokens are refused', async () => {
  const ended = Math.floor(Date.now() / 1000) - 60
  expect(await statusWith(await aToken({ iss: 'https://other.example.com' }))).toBe(401)
  expect(await statusWith(await aToken({ aud: 'another service' }))).toBe(401)
  expect(await statusWith(await aToken({ sub: 'some\0one' }))).toBe(401)
  expect(await statusWith(await aToken({}, stranger))).toBe(401)
  expect(await statusWith(await aToken({}, stranger, { kid: 'two' }))).toBe(401)
  expect(await statusWith(await aToken({ account_id: '00000000-0000-7000-8000-000000000000' }))).toBe(401)
  expect(await statusWith(await aToken({ account_id: "' or true --" }))).toBe(401)
  expect(await statusWith(await aToken({ account_id: { $ne: null } }))).toBe(401)
  expect(await statusWith(await aToken({ account_id: undefined }))).toBe(401)
  expect(await statusWith(await aToken({ exp: ended }))).toBe(401)
})

test('local log-in is disabled', async () => {
  const body = { email: 'a@example.com', password: 'a long password' }
  for (const path of ['sign-up', 'log-in']) {
    const answer = await control.rest('POST', `/auth/${path}`, { body })
    expect(answer.status).toBe(403)
    expect(answer.body.msg).toContain('identity provider')
  }
})

test('while the issuer is unreachable, no token is accepted', async () => {
  const alone = await aControlPlane({
    FOREIGN_JWKS_URL: 'http://127.0.0.1:1/keys',
    FOREIGN_ISSUER: issuer,
    FOREIGN_AUDIENCE: audience,
  })
  expect((await alone.rest('GET', '/me', { token: await aToken() })).status).toBe(503)
  expect((await alone.rest('GET', '/me')).status).toBe(401)
  await alone.close()
})
