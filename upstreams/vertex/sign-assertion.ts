import { createPrivateKey, sign } from 'node:crypto'
import { UpstreamFailure } from '../upstream-failure.ts'
import type { ServiceAccount } from './service-account.ts'

const scope = 'https://www.googleapis.com/auth/cloud-platform'
const lifeSeconds = 3600

/** What a service account says of itself to get a token: a JWT, signed with RS256. Throws UpstreamFailure `auth`. */
export function signAssertion(account: ServiceAccount, nowMs: number): string {
  const issuedAt = Math.floor(nowMs / 1000)
  const header = { alg: 'RS256', typ: 'JWT', ...(account.privateKeyId && { kid: account.privateKeyId }) }
  const claims = {
    iss: account.clientEmail,
    scope,
    aud: account.tokenUri,
    iat: issuedAt,
    exp: issuedAt + lifeSeconds,
  }
  const signed = `${encode(header)}.${encode(claims)}`
  return `${signed}.${signText(signed, account.privateKey)}`
}

function signText(text: string, privateKey: string): string {
  try {
    const key = createPrivateKey(privateKey)
    if (key.asymmetricKeyType !== 'rsa') throw new Error('not an RSA key')
    return sign('sha256', Buffer.from(text), key).toString('base64url')
  } catch {
    throw new UpstreamFailure('auth', { message: 'the private_key of the service account cannot be read' })
  }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
