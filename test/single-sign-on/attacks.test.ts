import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { aSettingsFile } from '../harness/a-context.ts'
import { aControlPlane, type ControlPlane } from '../harness/a-control-plane.ts'
import { aBrowser, challengeOf, type SignedIn } from '../harness/single-sign-on/a-browser.ts'
import { acmeAccountId } from '../harness/single-sign-on/a-company.ts'
import { aForger, type Forger } from '../harness/single-sign-on/a-forger.ts'
import { serviceOrigin } from '../harness/single-sign-on/service-origin.ts'

/** `acme` admits acme.example, `open` is for everyone. Both are forgers, of two keys and two clients. */
let forgers: { acme: Forger; open: Forger }
let control: ControlPlane

const settingsOf = ({ url, clientId, clientSecret }: Forger) => ({
  issuer: url,
  client_id: clientId,
  client_secret: clientSecret,
})

beforeAll(async () => {
  forgers = { acme: await aForger(), open: await aForger() }
  control = await aControlPlane({
    BASE_URL: serviceOrigin,
    ALLOWED_ORIGINS: 'https://console.example.com',
    SINGLE_SIGN_ON_FILE: aSettingsFile({
      acme: {
        ...settingsOf(forgers.acme),
        domains: { 'acme.example': acmeAccountId },
        default_role: 'viewer',
      },
      open: { ...settingsOf(forgers.open), opens_accounts: true },
    }),
  })
  const { sql } = control.context
  await sql`insert into accounts (id, name) values (${acmeAccountId}, 'Acme')`
  await sql`insert into balances (account_id) values (${acmeAccountId}) on conflict do nothing`
})
afterAll(async () => {
  await control.close()
  await Promise.all([forgers.acme.close(), forgers.open.close()])
})
beforeEach(() => {
  for (const forger of [forgers.acme, forgers.open])
    Object.assign(forger, { claims: {}, signature: 'right', tokenStatus: 200 })
  forgers.acme.claims = { email: 'victim@acme.example', email_verified: true }
})

const exchange = ({ code, codeVerifier }: Pick<SignedIn, 'code' | 'codeVerifier'>) =>
  control.rest('POST', '/auth/sso/exchange', { body: { code, code_verifier: codeVerifier } })
const signIn = async (issuer: string) => exchange(await aBrowser(control.url).signIn(issuer))
const isCallback = (url: string) => url.includes('/callback')

/** Signs in up to the redirect URI, and returns its URL before the browser opens it. */
async function interrupted(issuer: string, browser = aBrowser(control.url)) {
  const { visited, codeVerifier } = await browser.signIn(issuer, { stop: isCallback })
  return { browser, url: visited.url, codeVerifier }
}

test('a state works once', async () => {
  const { browser, url } = await interrupted('acme')
  const cookies = [...browser.cookies]
  expect((await browser.open(url)).url).toContain('#sso_code=')
  for (const [name, value] of cookies) browser.cookies.set(name, value)
  expect((await browser.open(url)).status).toBe(400)
})

test('a response in another browser is refused, and does not use up the state', async () => {
  const { browser, url } = await interrupted('acme')
  expect((await aBrowser(control.url).open(url)).status).toBe(400)
  const stranger = (await interrupted('acme')).browser // has the cookie of another sign-in
  expect((await stranger.open(url)).status).toBe(400)
  expect((await browser.open(url)).url).toContain('#sso_code=')
})

test('the cookie is for the server alone', async () => {
  const query = `code_challenge=${challengeOf('x'.repeat(43))}`
  const response = await fetch(`${control.url}/account/sso/acme?${query}`, { redirect: 'manual' })
  expect(response.headers.get('set-cookie')).toMatch(/; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/)
  expect(response.headers.get('referrer-policy')).toBe('no-referrer')
  const location = new URL(response.headers.get('location') ?? '')
  expect(Object.fromEntries(location.searchParams)).toMatchObject({
    response_type: 'code',
    code_challenge_method: 'S256',
    redirect_uri: `${serviceOrigin}/account/sso/acme/callback`,
  })
})

test('the response of one issuer is refused at another, and so is another iss', async () => {
  const { browser, url } = await interrupted('acme')
  expect((await browser.open(url.replace('/sso/acme/', '/sso/open/'))).status).toBe(400)
  const mixed = await browser.open(`${url}&iss=${encodeURIComponent(forgers.open.url)}`)
  expect(mixed.url).toContain('#sso_error=sign_in_refused')
})

test('a code is worth nothing without the verifier of its client, and is used up by a try', async () => {
  const victim = await aBrowser(control.url).signIn('acme')
  const stolen = await exchange({ code: victim.code, codeVerifier: 'y'.repeat(43) })
  expect(stolen).toMatchObject({ status: 400, body: { error: { code: 'sign_in_expired' } } })
  expect((await exchange(victim)).status).toBe(400)

  const own = await aBrowser(control.url).signIn('acme')
  expect((await exchange(own)).status).toBe(200)
  expect((await exchange(own)).status).toBe(400)
})

test.each([
  ['a replayed nonce', { nonce: 'of-another-sign-in' }, 'right'],
  ['the audience of another client', { aud: 'another-client' }, 'right'],
  ['the name of another issuer', { iss: 'https://other.example.com' }, 'right'],
  ['an expired token', { exp: 1 }, 'right'],
  ['no signature', {}, 'none'],
  ['the signature of another key', {}, 'foreign'],
  ['a subject that is too long', { sub: 'x'.repeat(256) }, 'right'],
] as const)('an ID token with %s is refused', async (_, claims, signature) => {
  Object.assign(forgers.acme, { claims: { ...forgers.acme.claims, ...claims }, signature })
  expect((await aBrowser(control.url).signIn('acme')).error).toBe('sign_in_refused')
})

test.each([
  'https://evil.example.com/',
  '//evil.example.com',
  '/\\evil.example.com',
  'https://rubicon.test@evil.example.com/',
  'javascript:alert(1)',
  '/x#sso_code=planted',
  'https://console.example.com.evil.example.com/',
])('the browser is not sent to %s', async returnTo => {
  const { visited } = await aBrowser(control.url).signIn('acme', { returnTo })
  expect(visited.status).toBe(422)
  expect(visited.text).toContain('return_to must be a path')
})

test.each(['/console?tab=keys', 'https://console.example.com/in'])(
  'the browser returns to %s',
  async returnTo => {
    const { visited } = await aBrowser(control.url).signIn('acme', { returnTo })
    expect(visited.url).toMatch(
      new RegExp(`^${new URL(returnTo, serviceOrigin).href.replace('?', '\\?')}#sso_code=`),
    )
  },
)

const confirmedPerson = async () => {
  const person = await control.aPerson()
  const { sql } = control.context
  await sql`update users set email_confirmed_at = now() where email = ${person.email}`
  return person
}

test('an issuer that is not authoritative for the domain takes over no user', async () => {
  const { email, accountId } = await confirmedPerson()
  for (const verified of [true, 'true', 1]) {
    forgers.open.claims = { sub: 'attacker', email, email_verified: verified }
    expect(await signIn('open')).toMatchObject({
      status: 403,
      body: { error: { code: 'identity_not_linked' } },
    })
  }
  forgers.open.claims = { sub: 'attacker', email: ` ${email.toUpperCase()} ` }
  const { status, body } = await signIn('open') // like a sign-up with the address: a new, unconfirmed account
  expect(status).toBe(200)
  expect(body.account.id).not.toBe(accountId)
})

test.each([false, undefined, 'false', 0, null, {}])(
  'an address of the domain is not taken from email_verified %j',
  async verified => {
    const { sql } = control.context
    const email = 'owner@acme.example'
    await sql`
      insert into users (id, email, name, password_hash, email_confirmed_at)
      values (${control.context.ids.uuid()}, ${email}, '', 'x', now()) on conflict do nothing`
    forgers.acme.claims = { sub: 'attacker', email, email_verified: verified }
    expect(await signIn('acme')).toMatchObject({ status: 403, body: { error: { code: 'sign_in_refused' } } })
    expect(await sql`select from identities where subject = 'attacker' and email = ${email}`).toHaveLength(0)
  },
)

test('nobody links an identity to another user with a code that was planted', async () => {
  const attacker = await control.aPerson()
  const victim = await aBrowser(control.url).signIn('open')
  const body = { code: victim.code, code_verifier: 'z'.repeat(43) }
  const linked = await control.rest('POST', '/auth/sso/identities', { token: attacker.token, body })
  expect(linked).toMatchObject({ status: 400, body: { error: { code: 'sign_in_expired' } } })
})

const logOut = (token: string, issuer = 'acme') =>
  fetch(`${control.url}/account/sso/${issuer}/logout`, {
    method: 'POST',
    body: new URLSearchParams({ logout_token: token }),
  })

test('forged, foreign and used logout tokens end no session', async () => {
  const { body } = await signIn('acme')
  const status = async () => (await control.rest('GET', '/me', { token: body.access_token })).status
  const { acme: issuer } = forgers
  const refused = [
    issuer.logoutToken({}, { alg: 'none' }),
    issuer.logoutToken({}, { key: 'foreign' }),
    issuer.logoutToken({}, { typ: 'at+jwt' }),
    issuer.logoutToken({ aud: 'another-client' }),
    issuer.logoutToken({ iss: forgers.open.url }),
    issuer.logoutToken({ iat: 1 }),
    issuer.logoutToken({ exp: 1 }),
    issuer.logoutToken({ nonce: 'n' }),
    issuer.logoutToken({ events: {} }),
    issuer.logoutToken({ jti: undefined }),
    issuer.logoutToken({ sub: undefined }),
    issuer.logoutToken({ sub: 'x'.repeat(256) }),
    issuer.logoutToken({ sub: 'a\u0000b', sid: '\ud800' }),
    forgers.open.logoutToken(),
    Promise.resolve('x'.repeat(20_000)),
  ]
  for (const token of await Promise.all(refused)) expect((await logOut(token)).status).toBe(400)
  expect(await status()).toBe(200)

  const token = await issuer.logoutToken({ sid: 'session-1', sub: undefined })
  expect((await logOut(token)).status).toBe(200)
  expect(await status()).toBe(401)
  const next = await signIn('acme')
  expect((await logOut(token)).status).toBe(400)
  expect((await control.rest('GET', '/me', { token: next.body.access_token })).status).toBe(200)
  expect((await logOut(await issuer.logoutToken())).status).toBe(200)
  expect((await control.rest('GET', '/me', { token: next.body.access_token })).status).toBe(401)
})

test('a log-out that arrives while the person signs in leaves no session', async () => {
  const { acme } = forgers
  const refused = { status: 400, body: { error: { code: 'sign_in_expired' } } }
  // before the browser has returned, and before the client has exchanged its code
  const { browser, url, codeVerifier } = await interrupted('acme')
  expect((await logOut(await acme.logoutToken({ sid: 'session-1', sub: undefined }))).status).toBe(200)
  const back = new URL((await browser.open(url)).url)
  const code = new URLSearchParams(back.hash.slice(1)).get('sso_code') ?? ''
  expect(await exchange({ code, codeVerifier })).toMatchObject(refused)

  // at an issuer whose ID tokens name no session
  acme.claims = { ...acme.claims, sid: undefined }
  const signedIn = await aBrowser(control.url).signIn('acme')
  await logOut(await acme.logoutToken({ sid: 'session-1' }))
  expect(await exchange(signedIn)).toMatchObject(refused)

  for (let turn = 0; turn < 3; turn++) {
    const racing = await aBrowser(control.url).signIn('acme')
    const token = await acme.logoutToken()
    const [session, loggedOut] = await Promise.all([exchange(racing), logOut(token)])
    expect(loggedOut.status).toBe(200)
    const me = await control.rest('GET', '/me', { token: session.body.access_token ?? 'none' })
    expect(me.status).toBe(401)
  }
  expect((await signIn('acme')).status).toBe(200)
})

test('a log-out at the issuer also ends a session to which the person switches at the same time', async () => {
  forgers.open.claims = { sub: 'switcher', email: 'switcher@elsewhere.example' }
  const { body } = await signIn('open')
  const token: string = body.access_token
  const switched = control.rest('POST', '/auth/switch-account', {
    token,
    body: { account_id: body.account.id },
  })
  await logOut(await forgers.open.logoutToken({ sub: 'switcher' }), 'open')
  const next = (await switched).body.access_token
  for (const one of [token, next ?? token])
    expect((await control.rest('GET', '/me', { token: one })).status).toBe(401)
})

test('subjects are compared exactly, also those with white space around them', async () => {
  const { open } = forgers
  const accounts = []
  for (const sub of ['spaced', ' spaced', 'Spaced']) {
    open.claims = { sub, email: `${accounts.length}-spaced@elsewhere.example` }
    accounts.push(await signIn('open'))
  }
  expect(new Set(accounts.map(({ body }) => body.account.id)).size).toBe(3)
  expect((await logOut(await open.logoutToken({ sub: ' spaced', sid: undefined }), 'open')).status).toBe(200)
  const statuses = accounts.map(({ body }) => control.rest('GET', '/me', { token: body.access_token }))
  expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([200, 401, 200])
})

test('a failing issuer is reported as unavailable', async () => {
  forgers.acme.tokenStatus = 500
  expect((await aBrowser(control.url).signIn('acme')).error).toBe('issuer_unavailable')
  expect((await aBrowser(control.url).signIn('unknown')).visited.status).toBe(404)
})
