import { createHmac } from 'node:crypto'
import type { ChatRequest } from '../../schema/wire/chat.ts'
import type { Context } from '../context.ts'

/**
 * The opaque token that keeps one end user's cached prefixes from another's: an HMAC over the account, the end user
 * whom the request names, and the client's own `prompt_cache_key`, which narrows the partition and never replaces
 * the account (decisions: Prompt-cache isolation). Parts are length-prefixed, so no two triples read alike.
 */
export function cacheToken(
  context: Pick<Context, 'config'>,
  { accountId, request }: { accountId: string; request: ChatRequest },
): string {
  const parts = [accountId, request.safety_identifier ?? request.user ?? '', request.prompt_cache_key ?? '']
  const mac = createHmac('sha256', context.config.keyPepper).update('prompt-cache')
  for (const part of parts) mac.update(`|${Buffer.byteLength(part)}:${part}`)
  return `rb-${mac.digest('base64url').slice(0, 40)}`
}
