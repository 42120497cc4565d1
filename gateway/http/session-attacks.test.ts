import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { expect, test } from 'vitest'
import { rotateSigningKey } from '../../domain/accounts/signing-keys.ts'
import { dayMs, systemClock } from '../../platform/clock.ts'
import { openOrm } from '../../platform/postgres/open-orm.ts'
import { entities } from '../../schema/entities/entities.ts'
import { theControlPlane } from '../../test/harness/a-control-plane.ts'

const clock = { ...systemClock, ahead: 0, now: () => Date.now() + clock.ahead }

const { control, person } = theControlPlane({}, { clock })

const me = (token: string) => control.rest('GET', '/me', { token })
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const decode = (part: string | undefined) => JSON.parse(Buffer.from(part ?? '', 'base64url').toString())
const parts = () => person.token.split('.')
const header = () => decode(parts()[0])
const claims = () => decode(parts()[1])

function signed(key: KeyObject, headerOf: object, claimsOf: object): string {
  const text = `${encode(headerOf)}.${encode(claimsOf)}`
  return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`
}

async function publicKeys() {
  const response = await fetch(`${control.url}/.well-known/jwks.json`)
  return { status: response.status, body: (await response.json()) as { keys: Record<string, string>[] } }
}

test('the published keys verify the tokens, and hold no private half', async () => {
  const { status, body } = await publicKeys()
  expect(status).toBe(200)
  expect(body.keys).toEqual([
    { kty: 'OKP', crv: 'Ed25519', x: expect.any(String), kid: header().kid, alg: 'EdDSA', use: 'sig' },
  ])
  expect((await me(person.token)).status).toBe(200)
  expect(claims().exp - claims().iat).toBe(900)
})

test('alg none is refused, in any spelling', async () => {
  for (const alg of ['none', 'None', 'NONE', '']) {
    const text = `${encode({ ...header(), alg })}.${parts()[1]}.`
    expect((await me(text)).status, alg).toBe(401)
    expect((await me(`${text}${parts()[2]}`)).status, alg).toBe(401)
  }
})

test('a token in another spelling is refused', async () => {
  const { token } = person
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const sameBytes = token.slice(0, -1) + digits[digits.indexOf(token.at(-1) ?? '') + 1]
  for (const text of [`${token}==`, `${token}=`, sameBytes]) expect((await me(text)).status, text).toBe(401)
  expect((await me(token)).status).toBe(200)
})

test('a token signed by HMAC with the public key as its secret is refused', async () => {
  const { body } = await publicKeys()
  const secrets = [
    body.keys[0]?.x ?? '',
    JSON.stringify(body.keys[0]),
    Buffer.from(body.keys[0]?.x ?? '', 'base64url'),
  ]
  for (const alg of ['HS256', 'EdDSA']) {
    for (const secret of secrets) {
      const text = `${encode({ ...header(), alg })}.${parts()[1]}`
      const mac = createHmac('sha256', secret).update(text).digest('base64url')
      expect((await me(`${text}.${mac}`)).status, alg).toBe(401)
    }
  }
})

test('a token signed by a key that is not ours is refused, whatever its kid, jwk or jku says', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const jwk = publicKey.export({ format: 'jwk' })
  const headers = [
    header(),
    { ...header(), kid: undefined },
    { ...header(), kid: '../../etc/passwd' },
    { ...header(), kid: "' or 1=1 --" },
    { ...header(), kid: { $ne: null } },
    { ...header(), kid: 'aaaaaaaaaaaaaaaa' },
    { ...header(), jwk },
    { ...header(), jku: 'http://127.0.0.1:1/keys' },
    { ...header(), x5u: 'http://127.0.0.1:1/keys' },
    { ...header(), crit: ['b64'], b64: false },
  ]
  for (const odd of headers) expect((await me(signed(privateKey, odd, claims()))).status).toBe(401)
})

test('claims that were changed after signing are refused', async () => {
  const [first, , last] = parts()
  const other = await control.aPerson()
  for (const change of [{ account_id: other.accountId }, { exp: 9_999_999_999 }, { sub: 'x' }]) {
    expect((await me(`${first}.${encode({ ...claims(), ...change })}.${last}`)).status).toBe(401)
  }
})

test('odd shapes are refused without a stumble', async () => {
  const odd = ['.', '..', 'a.b.c', 'ey.ey.ey', `${person.token}.x`, 'x'.repeat(8000), 'x'.repeat(9000), '%00']
  for (const token of odd) expect((await me(token)).status, token.slice(0, 20)).toBe(401)
})

test('rotation: new tokens are signed by a new key, old ones stay good until they expire', async () => {
  const orm = openOrm({ url: control.config.databaseUrl, name: 'test', entities })
  const { id } = await rotateSigningKey({ ...control.context, clock, em: orm.em.fork() })
  await orm.close()
  expect((await me(person.token)).status).toBe(200)
  expect((await publicKeys()).body.keys.map(({ kid }) => kid)).toEqual([id, header().kid])
  const fresh = await control.rest('POST', '/auth/log-in', {
    body: { email: person.email, password: person.password },
  })
  expect(decode(fresh.body.access_token.split('.')[0]).kid).toBe(id)
  expect((await me(fresh.body.access_token)).status).toBe(200)
})

test('a token that has ended is refused, and so is the key that was retired before it', async () => {
  const late = await control.aPerson()
  clock.ahead = 901_000
  expect((await me(late.token)).body.error.code).toBe('token_expired')
  expect((await me(person.token)).status).toBe(401)
  expect((await publicKeys()).body.keys).toHaveLength(1)
  const again = await control.rest('POST', '/auth/refresh', { body: { refresh_token: late.refreshToken } })
  expect((await me(again.body.access_token)).status).toBe(200)
  clock.ahead = 31 * dayMs
  const stale = await control.rest('POST', '/auth/refresh', {
    body: { refresh_token: again.body.refresh_token },
  })
  expect(stale.status).toBe(401)
  clock.ahead = 0
})

test('a token that was verified before is refused once the key that signed it is retired', async () => {
  const { token } = await control.aPerson()
  expect((await me(token)).status).toBe(200)
  await control.context.sql`update signing_keys set retired_at = 'epoch'`
  expect((await me(token)).body.error.code).toBe('unauthenticated')
})
