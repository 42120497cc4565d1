import type { IncomingHttpHeaders } from 'node:http'
import { isFromOwnPage } from '../../platform/http/own-page.ts'
import { type Patience, waitWithPatience } from '../../platform/patience.ts'
import { Problem } from '../../schema/errors.ts'
import { authenticateCaller } from '../callers/authenticate-caller.ts'
import type { SessionCaller } from '../callers/caller.ts'
import { mayManageKey } from '../callers/scopes.ts'
import type { CachedKey } from '../keys/key-cache.ts'
import type { KeyHmacs } from '../keys/key-text.ts'
import { openPlaygroundKey } from '../keys/playground-key.ts'
import { requireUsable } from './identify.ts'
import type { Inference } from './open-inference.ts'

/** The session token that a request presents instead of a key. */
export interface PresentedSession {
  token: string
  headers: IncomingHttpHeaders
  clientAddress: string
  requestId: string
  patience: Patience
  /**
   * Called with the key of the playground and the member once the session is recognised, even if the request is then
   * refused.
   */
  recognised(key: CachedKey, hmacs: KeyHmacs, memberId: string): void
}

/**
 * Returns the key of the playground for a request of the console (docs/behaviour.md, Playground). Throws `no_access` for a
 * page of another origin and for a token that is not a session's, `unauthenticated`, `token_expired`, `account_suspended`,
 * `account_closed`, `rate_limit_exceeded`, `second_factor_required`, `forbidden` if the member's role cannot create keys,
 * `playground_revoked`, `key_disabled`, `key_expired`, `ip_not_allowed`, `validation_failed`, and `unavailable` if Postgres
 * does not answer.
 */
export async function identifySession(inference: Inference, presented: PresentedSession): Promise<CachedKey> {
  const { context } = inference
  const { rates } = inference.authentication
  const { headers, clientAddress, patience } = presented
  if (!isFromOwnPage(headers, new URL(context.config.baseUrl).origin)) throw new Problem('no_access')
  rates.check(clientAddress)
  await rates.count(clientAddress)
  const finding = findKey(inference, presented)
  const { key, memberId } = await waitWithPatience(patience, context.clock, finding).catch(explain)
  const hmacs: KeyHmacs = [Buffer.from(key.hmac)] // the session replaces the secret, which no text has
  presented.recognised(key, hmacs, memberId)
  requireUsable(key, { now: context.clock.monotonic(), clientAddress, hmacs })
  return key
}

async function findKey(
  { authentication, context, keys }: Inference,
  { token, clientAddress: address, requestId }: PresentedSession,
): Promise<{ key: CachedKey; memberId: string }> {
  const arriving = { authorization: [`Bearer ${token}`], address }
  const caller = await authenticateCaller({ ...context, ...authentication }, arriving)
  if (caller?.kind !== 'session') throw new Problem('no_access')
  requireRights(caller)
  const { accountId, userId } = caller
  const actor = { kind: 'session', id: userId } as const
  const publicId = await openPlaygroundKey(context, { accountId, actor, address, requestId })
  const key = await keys.read(publicId)
  if (!key) throw new Problem('no_access')
  return { key, memberId: userId }
}

/** A member who spends could also create a key and spend with it. */
function requireRights(caller: SessionCaller): void {
  if (caller.lacksSecondFactor) throw new Problem('second_factor_required')
  if (mayManageKey({ caller }, { isProvisioning: false, scopes: [] })) return
  throw new Problem('forbidden', {
    message: 'Your role in this account cannot use the playground, because it spends credits.',
  })
}

function explain(error: unknown): never {
  if (error instanceof Problem) throw error
  throw new Problem('unavailable', { retryAfterSeconds: 1, cause: error })
}
