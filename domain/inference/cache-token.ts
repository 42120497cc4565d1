import { createHmac } from 'node:crypto'
import type { ChatEntry } from '../../schema/catalog/entry.ts'
import type { ChatRequest } from '../../schema/wire/chat.ts'

/**
 * The opaque token that keeps one end user's cached prefixes from another's: an HMAC over the account, the
 * end user whom the request names, and the client's own `prompt_cache_key`, which narrows the partition and
 * never replaces the account; models that isolate otherwise ignore it (docs/behaviour.md, Prompt caching).
 * The parts are written as JSON, so that no two triples read alike: it escapes halves of characters, which
 * UTF-8 cannot tell apart.
 */
export function cacheToken(
  { tokenOf }: Tokens,
  { accountId, request, entry }: { accountId: string; request: ChatRequest; entry: ChatEntry },
): string {
  const narrowing = entry.chat.cache_isolation === 'prompt_cache_key' ? request.prompt_cache_key : undefined
  const parts = [accountId, request.safety_identifier ?? request.user ?? '', narrowing ?? '']
  return tokenOf(JSON.stringify(parts))
}

/** The same for what has no cache: it tells a vendor one end user from another. */
export function endUserToken(
  { tokenOf }: Tokens,
  { accountId, endUser = '' }: { accountId: string; endUser?: string | undefined },
): string {
  return tokenOf(JSON.stringify([accountId, endUser, '']))
}

interface Tokens {
  tokenOf(parts: string): string
}

/** The token of parts that read like no other parts. */
export function hmacOfCacheParts(pepper: string, parts: string): string {
  const mac = createHmac('sha256', pepper).update('prompt-cache').update(parts)
  return `rb-${mac.digest('base64url').slice(0, 40)}`
}
