import { createSign, generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../platform/clock.ts'
import { type RunningSimulator, startSimulator } from '../start-simulator.ts'

let now = 1_790_000_000_000
let simulator: RunningSimulator
let account: Record<string, string>

beforeAll(async () => {
  simulator = await startSimulator({ clock: { ...systemClock, now: () => now } })
  account = JSON.parse(await (await fetch(`${simulator.url}/vertex/service-account.json`)).text())
})
afterAll(() => simulator.close())

const seconds = () => Math.floor(now / 1000)
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

function sign({ claims = {}, header = {}, key = account.private_key ?? '' } = {}) {
  const signed = [
    encode({ alg: 'RS256', typ: 'JWT', kid: account.private_key_id, ...header }),
    encode({
      iss: account.client_email,
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      aud: account.token_uri,
      iat: seconds(),
      exp: seconds() + 3600,
      ...claims,
    }),
  ].join('.')
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(key, 'base64url')}`
}

async function exchange(assertion: string, grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer') {
  const body = new URLSearchParams({ grant_type: grant, assertion })
  const response = await fetch(`${simulator.url}/vertex/token`, { method: 'POST', body })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

async function generate(token: string, { project = 'sim-project', region = 'europe-west4' } = {}) {
  const path = `/vertex/v1beta1/projects/${project}/locations/${region}/publishers/google/models/prism-3-pro:generateContent`
  const response = await fetch(simulator.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }),
  })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

describe('the token endpoint', () => {
  it('gives a token for a signature, which lets in until it expires', async () => {
    const { status, body } = await exchange(sign())
    expect([status, body.token_type, body.expires_in]).toEqual([200, 'Bearer', 3599])
    expect((await generate(body.access_token)).status).toBe(200)
    now += 3_599_000
    expect(await generate(body.access_token)).toMatchObject({
      status: 401,
      body: { error: { status: 'UNAUTHENTICATED' } },
    })
  })

  it.each([
    ['another algorithm', () => sign({ header: { alg: 'HS256' } })],
    ['another key id', () => sign({ header: { kid: 'x' } })],
    ['another account', () => sign({ claims: { iss: 'x@y.z' } })],
    ['another audience', () => sign({ claims: { aud: 'https://oauth2.googleapis.com/token' } })],
    ['another scope', () => sign({ claims: { scope: 'email' } })],
    ['too long a life', () => sign({ claims: { exp: seconds() + 3601 } })],
    ['a life that is over', () => sign({ claims: { iat: seconds() - 4000, exp: seconds() - 400 } })],
    ['a life to come', () => sign({ claims: { iat: seconds() + 100, exp: seconds() + 200 } })],
    ['nonsense', () => 'a.b.c'],
    [
      'the signature of another key',
      () => {
        const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
        return sign({ key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() })
      },
    ],
  ])('refuses %s', async (_what, assertion) => {
    expect(await exchange(assertion())).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  it('refuses another grant', async () => {
    expect((await exchange(sign(), 'password')).body.error).toBe('unsupported_grant_type')
  })
})

describe('a project', () => {
  it('is open to its own accounts alone, in any region', async () => {
    const token = (await exchange(sign())).body.access_token
    expect((await generate(token, { region: 'global' })).status).toBe(200)
    expect(await generate(token, { project: 'other' })).toMatchObject({
      status: 403,
      body: { error: { status: 'PERMISSION_DENIED' } },
    })
    expect((await generate('sim-platform-key')).status).toBe(401)
  })
})
