import { expect, test } from 'vitest'
import { linkToken } from '../../domain/accounts/mailed-links.ts'
import { aControlPlane } from '../../test/harness/a-control-plane.ts'
import { perFile } from '../../test/harness/per-file.ts'

const baseUrl = 'https://rubicon.example.com'
const control = perFile(() => aControlPlane({ BASE_URL: baseUrl, LOGIN_TRIES: '1000' }))

const ofConsole = { origin: baseUrl, 'x-session-cookie': '1' }
const name = '__Secure-rubicon-session'

interface Sending {
  body?: object
  token?: string
  cookie?: string
  headers?: Record<string, string>
}

/** Sends a request as the console does, and returns the cookie that the response sets. */
async function post(path: string, { body = {}, token, cookie, headers = ofConsole }: Sending = {}) {
  const answer = await control.rest('POST', path, {
    body,
    token,
    headers: { ...headers, ...(cookie !== undefined && { cookie }) },
  })
  const set = answer.headers.getSetCookie()
  return { ...answer, set, cookie: set[0]?.split(';')[0] }
}

/** Signs a person up with a session in a cookie. */
async function aSession() {
  const { email, password } = await control.aPerson()
  const answer = await post('/auth/log-in', { body: { email, password } })
  return { email, password, token: String(answer.body.access_token), cookie: answer.cookie ?? '', answer }
}

const refresh = (cookie: string, headers: Record<string, string> = ofConsole) =>
  post('/auth/refresh', { cookie, headers })

test('a log-in with the header keeps the refresh token from scripts, and the cookie from other paths', async () => {
  const { answer } = await aSession()
  expect(answer.body).toEqual({
    access_token: expect.any(String),
    expires_at: expect.any(String),
    account: expect.any(Object),
  })
  expect(answer.set).toEqual([
    expect.stringMatching(
      new RegExp(
        `^${name}=rb-refresh-\\w{48}; Path=/api/v1/auth; HttpOnly; SameSite=Strict; Secure; Max-Age=\\d+$`,
      ),
    ),
  ])
})

test('a refresh reads and replaces the cookie; a log-out deletes it and ends the session', async () => {
  const { cookie } = await aSession()
  const next = await refresh(cookie)
  expect([next.status, next.body.refresh_token, next.cookie === cookie]).toEqual([200, undefined, false])
  const out = await post('/auth/log-out', { token: next.body.access_token, cookie: next.cookie ?? '' })
  expect([out.status, out.set[0]]).toEqual([
    204,
    expect.stringMatching(/=; Path=\/api\/v1\/auth; .*Max-Age=0$/),
  ])
  const ended = await refresh(next.cookie ?? '')
  expect([ended.status, ended.set[0]]).toEqual([401, expect.stringContaining('Max-Age=0')])
})

test('a replaced cookie that is used again ends the session for both holders', async () => {
  const { cookie } = await aSession()
  const next = await refresh(cookie)
  expect((await refresh(cookie)).status).toBe(401)
  expect((await refresh(next.cookie ?? '')).status).toBe(401)
})

test('a sign-up and a switch of the account set the cookie too', async () => {
  const signedUp = await post('/auth/sign-up', {
    body: { email: 'cookie@example.com', password: 'correct horse' },
  })
  expect([signedUp.status, signedUp.body.refresh_token, signedUp.set.length]).toEqual([201, undefined, 1])
  const { body } = await control.rest('GET', '/auth/accounts', { token: signedUp.body.access_token })
  const switched = await post('/auth/switch-account', {
    body: { account_id: body.data[0].account_id },
    token: signedUp.body.access_token,
  })
  expect([switched.status, switched.body.refresh_token, switched.set.length]).toEqual([200, undefined, 1])
})

test.each<[string, Record<string, string>]>([
  ['a page of another site', { ...ofConsole, origin: 'https://evil.example' }],
  [
    'a sibling host, which SameSite does not exclude',
    { ...ofConsole, origin: 'https://evil.example.com', 'sec-fetch-site': 'same-site' },
  ],
  ['the host without TLS', { ...ofConsole, origin: 'http://rubicon.example.com' }],
  ['a sandboxed frame', { ...ofConsole, origin: 'null', 'sec-fetch-site': 'cross-site' }],
  ['a request without an origin', { 'x-session-cookie': '1' }],
])('%s cannot use the cookie, neither to refresh nor to log in', async (_, headers) => {
  const { cookie, email, password } = await aSession()
  const refused = await refresh(cookie, headers)
  expect([refused.status, refused.body.error.code, refused.set]).toEqual([403, 'forbidden', []])
  const logIn = await post('/auth/log-in', { headers, body: { email, password } })
  expect([logIn.status, logIn.set]).toEqual([403, []])
  expect((await refresh(cookie)).status).toBe(200)
})

test('without the header, as a form of another site sends it, the cookie counts for nothing', async () => {
  const { cookie } = await aSession()
  const missing = await post('/auth/refresh', { cookie, headers: { origin: baseUrl } })
  expect([missing.status, missing.body.error.param, missing.set]).toEqual([422, 'refresh_token', []])
  const form = { 'content-type': 'text/plain', origin: 'https://evil.example' }
  expect((await post('/auth/refresh', { cookie, headers: form })).status).toBe(415)
})

test('no other operation accepts the cookie as a credential', async () => {
  const { cookie } = await aSession()
  const headers = { ...ofConsole, cookie }
  expect((await control.rest('GET', '/me', { headers })).status).toBe(401)
  expect((await control.rest('POST', '/auth/log-out', { headers })).status).toBe(401)
  expect((await control.graph('{ me { id } }', { headers })).errors?.[0]?.extensions.problem).toBe(
    'unauthenticated',
  )
})

test('two cookies of the name, one of them set by another host of the domain, are refused', async () => {
  const [victim, attacker] = [await aSession(), await aSession()]
  expect((await refresh(`${attacker.cookie}; ${victim.cookie}`)).status).toBe(401)
  expect((await refresh(victim.cookie)).status).toBe(200)
})

test('behind another address than BASE_URL, the browser states that the page is of the same origin', async () => {
  const { cookie } = await aSession()
  const headers = { ...ofConsole, origin: 'http://localhost:8080', 'sec-fetch-site': 'same-origin' }
  expect((await refresh(cookie, headers)).status).toBe(200)
})

test('other clients get the refresh token in the body, and no cookie', async () => {
  const { email, password } = await control.aPerson()
  const plain = await post('/auth/log-in', { body: { email, password }, headers: {} })
  expect([plain.body.refresh_token, plain.set]).toEqual([expect.stringMatching(/^rb-refresh-/), []])
})

test('a new user who accepts an invitation gets the first session in the cookie', async () => {
  const { sql, config, ids } = control.context
  const { accountId } = await control.aPerson()
  const linkId = ids.uuid()
  await sql`
    insert into invitations (account_id, id, link_id, email, role, created_at, sent_at, expires_at)
    values (${accountId}, ${ids.uuid()}, ${linkId}, 'guest@example.com', 'viewer', now(), now(), now() + interval '1 day')`
  const { status, body, set } = await post('/auth/accept-invitation', {
    body: {
      token: linkToken(config, { id: linkId, purpose: 'accept_invitation' }),
      password: 'correct horse battery',
    },
  })
  expect([status, body.account_id, body.session.refresh_token]).toEqual([200, accountId, undefined])
  expect(set).toEqual([expect.stringMatching(new RegExp(`^${name}=rb-refresh-`))])
  const next = await refresh(set[0]?.split(';')[0] ?? '')
  expect(next.body.account.id).toBe(accountId)
})
