import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { SessionClaims } from './session-tokens.ts'

/** The verified claims of a session token. */
export interface VerifiedToken {
  claims: SessionClaims
  /** The ID of the key that signed the token. */
  signingKeyId: string
  /** When the token expires, in milliseconds since 1970. */
  expiresAtMs: number
}

/**
 * The tokens whose signatures this process has verified. Verification is the most expensive part of a small query, and
 * a console sends the same token for up to 15 minutes.
 */
export interface VerifiedTokens {
  /** Returns the claims of a token, or undefined if the token was not yet verified or has expired at `nowMs`. */
  find(token: string, nowMs: number): VerifiedToken | undefined
  remember(token: string, verified: VerifiedToken): void
}

const maxTokens = 10_000

/** Opens the memory of a process. It has the 10,000 tokens that were used last. */
export function openVerifiedTokens(): VerifiedTokens {
  const kept = new LRUCache<string, VerifiedToken>({ max: maxTokens })
  return {
    find(token, nowMs) {
      const verified = kept.get(nameOf(token))
      return verified && verified.expiresAtMs > nowMs ? verified : undefined
    },
    remember: (token, verified) => void kept.set(nameOf(token), verified),
  }
}

/**
 * Returns the name under which a token is remembered. The token itself is not kept, because memory may end up in a
 * dump.
 */
function nameOf(token: string): string {
  return hash('sha256', token, 'base64url')
}
