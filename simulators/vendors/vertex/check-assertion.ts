import { verify } from 'node:crypto'
import { isRecord, type JsonRecord, parseJson } from '../json.ts'
import { Refusal } from '../server/refusal.ts'
import type { ServiceAccount } from './service-account.ts'

const scope = 'https://www.googleapis.com/auth/cloud-platform'
const mostSeconds = 3600
const skewSeconds = 60

/** Checks a JWT as the vendor's token endpoint does: who signed it, with which key, for whom, and when. */
export function checkAssertion(
  assertion: string,
  { account, audience, nowSeconds }: { account: ServiceAccount; audience: string; nowSeconds: number },
): void {
  const [head = '', body = '', signature = ''] = assertion.split('.')
  const [header, claims] = [decode(head), decode(body)]
  if (header.alg !== 'RS256' || header.typ !== 'JWT')
    throw refuse('Invalid JWT: it must be signed with RS256.')
  if (header.kid !== account.privateKeyId) throw refuse('Invalid JWT: Unable to find a key with this kid.')
  if (claims.iss !== account.clientEmail) throw refuse('Invalid grant: account not found')
  const signed = Buffer.from(`${head}.${body}`)
  if (!verify('sha256', signed, account.publicKey, Buffer.from(signature, 'base64url')))
    throw refuse('Invalid JWT Signature.')
  if (claims.aud !== audience)
    throw refuse(`Invalid JWT: Failed audience check. The right audience is ${audience}`)
  const { iat, exp } = claims
  if (
    typeof iat !== 'number' ||
    typeof exp !== 'number' ||
    exp - iat > mostSeconds ||
    iat > nowSeconds + skewSeconds
  )
    throw refuse('Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.')
  if (exp < nowSeconds) throw refuse('Invalid JWT: Token has expired.')
  if (claims.scope !== scope) throw refuse('Invalid OAuth scope or ID token audience provided.')
}

function decode(part: string): JsonRecord {
  const value = parseJson(Buffer.from(part, 'base64url').toString())
  if (isRecord(value)) return value
  throw refuse('Invalid JWT: Failed to parse.')
}

function refuse(description: string): Refusal {
  return new Refusal({ status: 400, body: { error: 'invalid_grant', error_description: description } })
}
