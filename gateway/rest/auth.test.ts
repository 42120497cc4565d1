import { describe, expect, test, vi } from 'vitest'
import { aControlPlane } from '../../test/harness/a-control-plane.ts'
import { perFile } from '../../test/harness/per-file.ts'

const control = perFile(() => aControlPlane({ LOGIN_TRIES: '1000' }))

const post = (path: string, body?: unknown, token?: string) =>
  control.rest('POST', `/auth/${path}`, { body, token })
const statusOfMe = async (token: string) => (await control.rest('GET', '/me', { token })).status

describe('signing up', () => {
  test('creates an account with a balance of zero and logs its user in', async () => {
    const body = { email: 'Ada@Example.com', password: 'a long password', name: 'Ada & Sons' }
    const answer = await post('sign-up', body)
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      access_token: expect.stringMatching(/^ey/),
      refresh_token: expect.any(String),
      expires_at: expect.any(String),
      account: { id: expect.any(String), name: 'Ada & Sons', created_at: expect.any(String) },
    })
    const me = await control.rest('GET', '/me', { token: answer.body.access_token })
    expect(me.body).toEqual(answer.body.account)
    const balances = await control.context.sql`
      select credits_nanos, held_nanos from balances where account_id = ${me.body.id}`
    expect([...balances]).toEqual([{ credits_nanos: 0n, held_nanos: 0n }])
  })

  test('writes neither the e-mail nor the hash of the password into the text of a statement', async () => {
    const { sql } = control.context
    const holder = await sql.reserve()
    await holder`begin`
    await holder`lock table users in exclusive mode`
    const answer = post('sign-up', { email: 'silent@example.com', password: 'a long password' })
    const waiting = await vi.waitUntil(async () => {
      const [found] = await sql`
        select query from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      return found?.query
    })
    await holder`rollback`
    holder.release()
    expect((await answer).status).toBe(201)
    expect(waiting).toContain('insert into users')
    expect(waiting).not.toMatch(/silent@example|argon2/)
  })

  test('stores equivalent e-mails as one, and log-in accepts each form', async () => {
    const password = 'a long password'
    const { body } = await post('sign-up', { email: 'ﬁne@example.com', password })
    for (const email of [
      'fine@example.com',
      ' FINE@example.com\u00a0',
      'ｆine@ｅxample.com',
      'fine＠example.com',
    ])
      expect((await post('log-in', { email, password })).body.account, email).toEqual(body.account)
  })

  test.each([
    [{ email: 'nonsense', password: 'a long password' }, 'email'],
    [{ email: 'a@b.co', password: ' '.repeat(12) }, 'password'],
    [{ email: 'a@b.co', password: '\u200b\u00a0\t'.repeat(4) }, 'password'],
    [{ email: 'a\u200b@b.co', password: 'a long password' }, 'email'],
    [{ email: 'a@b\u00ad.co', password: 'a long password' }, 'email'],
  ])('is refused for %j', async (body, param) => {
    const answer = await post('sign-up', body)
    expect(answer.status).toBe(422)
    expect(answer.body.error.param).toBe(param)
  })
})

describe('logging in', () => {
  test('returns the same error for a wrong password and an unknown e-mail', async () => {
    const { email } = await control.aPerson()
    const wrong = await post('log-in', { email, password: 'not the password' })
    const unknown = await post('log-in', { email: 'nobody@example.com', password: 'not the password' })
    expect(wrong.status).toBe(401)
    expect(wrong.body).toEqual(unknown.body)
    expect(wrong.body.error.code).toBe('wrong_credentials')
  })

  test('works although the request has a stale credential', async () => {
    const { email, password } = await control.aPerson()
    expect((await post('log-in', { email, password }, 'stale.stale.stale')).status).toBe(200)
  })

  test('stores passwords as argon2id and refresh tokens as a hash', async () => {
    const { password, refreshToken } = await control.aPerson()
    const users = await control.context.sql<{ password_hash: string }[]>`select password_hash from users`
    for (const user of users) expect(user.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    const rows = await control.context.sql<{ text: string }[]>`
      select t::text || u::text as text from refresh_tokens t, users u`
    const leaks = rows.filter(({ text }) => text.includes(password) || text.includes(refreshToken))
    expect(leaks).toEqual([])
  })
})

describe('refreshing', () => {
  test('rotates: the new tokens work, and each refresh token is valid once', async () => {
    const person = await control.aPerson()
    const first = await post('refresh', { refresh_token: person.refreshToken })
    expect(first.status).toBe(200)
    expect(first.body.refresh_token).not.toBe(person.refreshToken)
    expect(await statusOfMe(first.body.access_token)).toBe(200)
    const second = await post('refresh', { refresh_token: first.body.refresh_token })
    expect(second.status).toBe(200)
  })

  test('a second use of a token ends the whole session, for thief and owner', async () => {
    const person = await control.aPerson()
    const thief = await post('refresh', { refresh_token: person.refreshToken })
    const again = await post('refresh', { refresh_token: person.refreshToken })
    expect(again.status).toBe(401)
    expect(again.body.error.code).toBe('token_expired')
    expect((await post('refresh', { refresh_token: thief.body.refresh_token })).status).toBe(401)
    expect(await statusOfMe(thief.body.access_token)).toBe(401)
    expect(await statusOfMe(person.token)).toBe(401)
  })

  test('at most one of many concurrent uses succeeds, and the session ends', async () => {
    const person = await control.aPerson()
    const body = { refresh_token: person.refreshToken }
    const answers = await Promise.all(Array.from({ length: 8 }, () => post('refresh', body)))
    const served = answers.filter(({ status }) => status === 200)
    expect(served.length).toBe(1)
    for (const answer of served) expect(await statusOfMe(answer.body.access_token)).toBe(401)
  })

  test('does not affect other sessions of the same user', async () => {
    const { email, password, refreshToken } = await control.aPerson()
    const elsewhere = (await post('log-in', { email, password })).body
    await post('refresh', { refresh_token: refreshToken })
    await post('refresh', { refresh_token: refreshToken })
    expect(await statusOfMe(elsewhere.access_token)).toBe(200)
  })

  test('refuses unknown refresh tokens', async () => {
    for (const token of ['nonsense', `rb-refresh-${'x'.repeat(48)}`, '']) {
      expect((await post('refresh', { refresh_token: token })).status).toBe(401)
    }
  })
})

describe('logging out', () => {
  test('ends the session at once: its token and its refresh token are refused', async () => {
    const person = await control.aPerson()
    expect((await post('log-out', undefined, person.token)).status).toBe(204)
    expect(await statusOfMe(person.token)).toBe(401)
    const refreshed = await post('refresh', { refresh_token: person.refreshToken })
    expect(refreshed.status).toBe(401)
  })

  test('requires a session: anonymous requests and API keys are refused', async () => {
    const { token } = await control.aPerson()
    const { body } = await control.rest('POST', '/api-keys', { token, body: { name: 'a key' } })
    expect((await post('log-out')).status).toBe(401)
    expect((await post('log-out', undefined, body.key)).body.error.code).toBe('jwt_required')
  })
})
