import type { Exchange } from '../server/exchange.ts'
import type { Simulator } from '../simulator.ts'
import { headerOf, parseAuthorization, type SignedRequest, signatureOf } from './check-signature.ts'
import { refuse } from './refuse.ts'

const mostSkewMs = 5 * 60 * 1000

/**
 * Who calls: a signed request, whose access key id starts with `AKIASIM` or `ASIASIM` and has the secret
 * `secret-of-<id>` (`ASIA…` with any session token), or one with a bearer key that starts with `sim-`.
 */
export function authenticate({ clock }: Simulator, exchange: Exchange): string {
  const { authorization } = exchange.request.headers
  if (!authorization) throw refuse(403, 'MissingAuthenticationTokenException', 'Missing Authentication Token')
  const bearer = /^Bearer (\S+)$/i.exec(authorization)?.[1]
  return bearer ? checkBearer(bearer) : checkSigner(exchange, authorization, clock.now())
}

export function secretOf(accessKeyId: string): string {
  return `secret-of-${accessKeyId}`
}

function checkBearer(key: string): string {
  if (key.startsWith('sim-') && !key.startsWith('sim-bad')) return key
  throw refuse(403, 'AccessDeniedException', 'Authentication failed: Please make sure your API Key is valid.')
}

function checkSigner(exchange: Exchange, text: string, now: number): string {
  const authorization = parseAuthorization(text)
  if (!authorization)
    throw refuse(
      400,
      'IncompleteSignatureException',
      'Authorization header requires all of Credential, SignedHeaders and Signature.',
    )
  const { accessKeyId, region, service, date, signedHeaders } = authorization
  const request = signedRequestOf(exchange)
  if (
    !/^A[KS]IASIM/.test(accessKeyId) ||
    (accessKeyId.startsWith('ASIA') && !headerOf(request, 'x-amz-security-token'))
  )
    throw refuse(403, 'UnrecognizedClientException', 'The security token included in the request is invalid.')
  if (service !== 'bedrock')
    throw refuse(
      403,
      'InvalidSignatureException',
      `Credential should be scoped to correct service: 'bedrock'.`,
    )
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(region))
    throw refuse(403, 'InvalidSignatureException', 'Credential should be scoped to a valid region.')
  const stamp = headerOf(request, 'x-amz-date')
  if (!stamp.startsWith(date) || !(Math.abs(timeOf(stamp) - now) <= mostSkewMs))
    throw refuse(403, 'InvalidSignatureException', `Signature expired: ${stamp} is now earlier than allowed.`)
  const mustBeSigned = [
    'host',
    'x-amz-date',
    ...(headerOf(request, 'x-amz-security-token') ? ['x-amz-security-token'] : []),
  ]
  const isWhole = mustBeSigned.every(name => signedHeaders.includes(name))
  if (!isWhole || signatureOf(request, authorization, secretOf(accessKeyId)) !== authorization.signature) {
    throw refuse(
      403,
      'InvalidSignatureException',
      'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.',
    )
  }
  return accessKeyId
}

function signedRequestOf({ request, path, body }: Exchange): SignedRequest {
  const [, query = ''] = (request.url ?? '').split('?')
  return { method: request.method ?? 'POST', path, query, headers: request.headers, body: body.bytes }
}

/** `20260131T120000Z` in milliseconds; NaN where it is no date. */
function timeOf(stamp: string): number {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(stamp) ?? []
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}
