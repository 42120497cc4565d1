import { createHmac } from 'node:crypto'
import type { ChatEntry } from '../../schema/catalog/entry.ts'
import type { ChatRequest } from '../../schema/wire/chat.ts'

/**
 * Returns the opaque token that separates the cached prefixes of end users: an HMAC over the account, the end user that
 * the request names, and the client's `prompt_cache_key`. That key narrows the partition and never replaces the account;
 * models with another kind of isolation ignore it (docs/behaviour.md, Prompt caching). The parts are encoded as JSON, so
 * that no two triples are equal: JSON escapes lone surrogates, which UTF-8 would merge.
 */
export function cacheToken(
  { tokenOf }: Tokens,
  { accountId, request, entry }: { accountId: string; request: ChatRequest; entry: ChatEntry },
): string {
  const narrowing = entry.chat.cache_isolation === 'prompt_cache_key' ? request.prompt_cache_key : undefined
  const parts = [accountId, request.safety_identifier ?? request.user ?? '', narrowing ?? '']
  return tokenOf(JSON.stringify(parts))
}

/** Returns the same token for a request without a cache, by which the vendor distinguishes end users. */
export function endUserToken(
  { tokenOf }: Tokens,
  { accountId, endUser = '' }: { accountId: string; endUser?: string | undefined },
): string {
  return tokenOf(JSON.stringify([accountId, endUser, '']))
}

interface Tokens {
  tokenOf(parts: string): string
}

/** Returns the token of encoded parts. */
export function hmacOfCacheParts(pepper: string, parts: string): string {
  const mac = createHmac('sha256', pepper).update('prompt-cache').update(parts)
  return `rb-${mac.digest('base64url').slice(0, 40)}`
}
