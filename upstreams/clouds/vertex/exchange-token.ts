import type { Dispatcher } from 'undici'
import type { Clock } from '../../../platform/clock.ts'
import { Cancellation } from '../../http/cancellation.ts'
import { exchange, type Timeouts } from '../../http/exchange.ts'
import { UpstreamFailure } from '../../upstream-failure.ts'
import { defaultTokenUri, type ServiceAccount } from './service-account.ts'
import type { AssertionSigner } from './sign-assertion.ts'

export interface AccessToken {
  text: string
  /** On the monotonic clock. */
  expiresAt: number
}

/** A token has a few hundred bytes. */
const mostAnswerBytes = 65_536

/** What it takes to get tokens. */
export interface TokenWay {
  dispatcher: Dispatcher
  allowLoopback: boolean
  signer: AssertionSigner
}

const timeouts: Timeouts = { firstByteMs: 10_000, idleMs: 5_000, totalMs: 15_000 }
/** The vendor's own addresses for tokens: what a customer's JSON may name, old files included. */
const tokenUris = [
  defaultTokenUri,
  'https://accounts.google.com/o/oauth2/token',
  'https://www.googleapis.com/oauth2/v4/token',
]
const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/**
 * Exchanges a service account's signature for a bearer token. A customer names the address, so it must be the
 * vendor's own, or loopback where that is allowed. Throws UpstreamFailure: `auth` where the account is refused.
 */
export async function exchangeToken(
  { dispatcher, allowLoopback, signer }: TokenWay,
  account: ServiceAccount,
  clock: Clock,
): Promise<AccessToken> {
  const { origin, pathname } = requireTokenUri(account.tokenUri, allowLoopback)
  const askedAt = clock.monotonic()
  const assertion = await signer.sign(account, clock.now())
  const form = new URLSearchParams({ grant_type: grantType, assertion })
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
  const request = { origin, path: pathname, headers, body: form.toString() }
  const cancellation = new Cancellation() // never used: the token is for everybody who waits, not for the first alone
  const { status, bytes } = await exchange(dispatcher, request, {
    timeouts,
    cancellation,
    limitBytes: mostAnswerBytes,
  })
  const answer = parse(await bytes.readAll())
  if (status !== 200) throw failureOf(status, answer)
  const { access_token: text, expires_in: lifeSeconds } = answer
  if (typeof text !== 'string' || typeof lifeSeconds !== 'number') {
    throw new UpstreamFailure('broken', { message: 'the token endpoint answered without a token' })
  }
  return { text, expiresAt: askedAt + lifeSeconds * 1000 }
}

function requireTokenUri(uri: string, allowLoopback: boolean): URL {
  const url = URL.canParse(uri) ? new URL(uri) : undefined
  const isLoopback = url !== undefined && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname)
  if (url && (tokenUris.includes(uri) || (allowLoopback && isLoopback))) return url
  throw new UpstreamFailure('auth', {
    message: `the token_uri of the service account must be ${defaultTokenUri}`,
  })
}

function failureOf(
  status: number,
  { error, error_description: words }: Record<string, unknown>,
): UpstreamFailure {
  const message = [error, words].filter(word => typeof word === 'string').join(': ')
  return new UpstreamFailure(status < 500 && status !== 429 ? 'auth' : 'broken', { status, message })
}

function parse(body: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString())
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
