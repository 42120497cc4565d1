import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Dispatcher } from 'undici'
import type { Clock } from '../../platform/clock.ts'
import type { ServiceAccount } from '../chat-adapter.ts'
import { Cancellation } from '../http/cancellation.ts'
import { exchange, type Timeouts } from '../http/exchange.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import { defaultTokenUri } from './vertex.ts'
import { type AssertionSigner, openAssertionSigner } from './vertex-assertion.ts'

/** The access tokens of this process, one per service account, and the services that fetch more. */
export interface TokenCache {
  dispatcher: Dispatcher
  /** Whether a `token_uri` may be a loopback address, such as a simulator's. */
  allowLoopback: boolean
  clock: Clock
  signer: AssertionSigner
  /** The tokens, by service account. */
  tokens: LRUCache<string, AccessToken>
  /** Exchanges in progress. Other requests for the same account wait for the same token. */
  pending: Map<string, Promise<AccessToken>>
}

interface AccessToken {
  text: string
  /** On the monotonic clock, in milliseconds. */
  expiresAt: number
}

/** Time before its expiry at which a token is no longer used, in milliseconds, because a request can take long. */
const expiryMarginMs = 5 * 60 * 1000
const maxTokens = 10_000

/** Opens an empty cache. `dispatcher` must be guarded, because customers name addresses. */
export function openTokenCache(
  options: Pick<TokenCache, 'dispatcher' | 'allowLoopback' | 'clock'>,
): TokenCache {
  const tokens = new LRUCache<string, AccessToken>({ max: maxTokens })
  return { ...options, signer: openAssertionSigner(), tokens, pending: new Map() }
}

/**
 * Resolves to a bearer token of the service account that is valid for at least five minutes, for a request of
 * `accountId`. Throws UpstreamFailure.
 */
export async function readToken(cache: TokenCache, account: ServiceAccount, accountId = ''): Promise<string> {
  const key = keyOf(account)
  const cached = cache.tokens.get(key)
  if (cached && cached.expiresAt - expiryMarginMs > cache.clock.monotonic()) return cached.text
  const pending = cache.pending.get(key) ?? fetchToken(cache, { account, accountId, key })
  return (await pending).text
}

/** Drops a token that the vendor refused before it expired. */
export function forgetToken({ tokens }: TokenCache, account: ServiceAccount): void {
  tokens.delete(keyOf(account))
}

/**
 * Returns the key of an account's token. Each private key has a separate token, so that a revoked key's token is not used
 * with its successor.
 */
function keyOf(account: ServiceAccount): string {
  return hash('sha256', JSON.stringify(account))
}

function fetchToken(
  cache: TokenCache,
  { account, accountId, key }: { account: ServiceAccount; accountId: string; key: string },
): Promise<AccessToken> {
  const pending = exchangeToken(cache, account, accountId)
    .then(token => {
      cache.tokens.set(key, token)
      return token
    })
    .finally(() => cache.pending.delete(key))
  cache.pending.set(key, pending)
  return pending
}

const timeouts: Timeouts = { firstByteMs: 10_000, idleMs: 5_000, totalMs: 15_000 }

/** Maximum length of a token. Tokens have a few hundred bytes. */
const maxAnswerBytes = 65_536

const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** Exchanges a signed assertion for a token. Throws UpstreamFailure, `auth` if the account is refused. */
async function exchangeToken(
  cache: TokenCache,
  account: ServiceAccount,
  accountId: string,
): Promise<AccessToken> {
  const { dispatcher, allowLoopback, signer, clock } = cache
  const { origin, pathname } = requireTokenUri(account.tokenUri, allowLoopback)
  const requestedAt = clock.monotonic()
  const assertion = await signer.sign(account, { nowMs: clock.now(), accountId })
  const form = new URLSearchParams({ grant_type: grantType, assertion })
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
  const request = { origin, path: pathname, headers, body: form.toString() }
  const { status, bytes } = await exchange(dispatcher, request, {
    timeouts,
    cancellation: new Cancellation(), // never cancelled: other requests may wait for the same token
    limitBytes: maxAnswerBytes,
  })
  const answer = parse(await bytes.readAll())
  if (status !== 200) throw failureOf(status, answer)
  const { access_token: text, expires_in: lifetimeSeconds } = answer
  if (typeof text !== 'string' || typeof lifetimeSeconds !== 'number') {
    throw new UpstreamFailure('broken', { message: 'the token endpoint answered without a token' })
  }
  return { text, expiresAt: requestedAt + lifetimeSeconds * 1000 }
}

/** Google's own token endpoints, including the endpoints of old key files. */
const tokenUris = [
  defaultTokenUri,
  'https://accounts.google.com/o/oauth2/token',
  'https://www.googleapis.com/oauth2/v4/token',
]

/** A customer names the address, so it must be one of Google's, or loopback if that is allowed. */
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
  { error, error_description: description }: Record<string, unknown>,
): UpstreamFailure {
  const message = [error, description].filter(text => typeof text === 'string').join(': ')
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
