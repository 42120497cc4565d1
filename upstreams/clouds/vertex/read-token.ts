import { hash } from 'node:crypto'
import type { Clock } from '../../../platform/clock.ts'
import { type AccessToken, exchangeToken, type TokenWay } from './exchange-token.ts'
import type { ServiceAccount } from './service-account.ts'
import { openAssertionSigner } from './sign-assertion.ts'

/** The tokens of this process, and what it takes to get more. */
export interface TokenCache extends TokenWay {
  clock: Clock
  /** By service account; the longest unused comes first. */
  tokens: Map<string, AccessToken>
  /** Exchanges under way: who asks meanwhile waits for the same one. */
  pending: Map<string, Promise<AccessToken>>
}

/** A token is not used in its last minutes: a long request may only begin then. */
const reserveMs = 5 * 60 * 1000
const mostTokens = 10_000

/** Opens an empty cache. `dispatcher` must be a guarded one. */
export function openTokenCache(
  given: Pick<TokenCache, 'dispatcher' | 'allowLoopback' | 'clock'>,
): TokenCache {
  return { ...given, signer: openAssertionSigner(), tokens: new Map(), pending: new Map() }
}

/** A bearer token of this account that is good for five minutes at least. Throws UpstreamFailure. */
export async function readToken(cache: TokenCache, account: ServiceAccount): Promise<string> {
  const name = nameOf(account)
  const known = cache.tokens.get(name)
  if (known && known.expiresAt - reserveMs > cache.clock.monotonic()) {
    cache.tokens.delete(name)
    cache.tokens.set(name, known)
    return known.text
  }
  const pending = cache.pending.get(name) ?? begin(cache, account, name)
  return (await pending).text
}

/** Drops a token that the vendor refused before its time. */
export function forgetToken({ tokens }: TokenCache, account: ServiceAccount): void {
  tokens.delete(nameOf(account))
}

function begin(cache: TokenCache, account: ServiceAccount, name: string): Promise<AccessToken> {
  const exchanged = exchangeToken(cache, account, cache.clock)
    .then(token => keep(cache, name, token))
    .finally(() => cache.pending.delete(name))
  cache.pending.set(name, exchanged)
  return exchanged
}

function keep({ tokens }: TokenCache, name: string, token: AccessToken): AccessToken {
  const [oldest] = tokens.keys()
  if (tokens.size >= mostTokens && oldest !== undefined) tokens.delete(oldest)
  tokens.set(name, token)
  return token
}

/** Another key of the same account is another name: what its owner revoked must not live on in a token of it. */
function nameOf(account: ServiceAccount): string {
  return hash('sha256', JSON.stringify(account))
}
