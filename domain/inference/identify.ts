import { type ErrorName, Problem } from '../../schema/errors.ts'
import { readBearer } from '../callers/caller.ts'
import type { CachedKey } from '../keys/key-cache.ts'
import { parseKeyText, sameHmac } from '../keys/key-text.ts'
import type { Inference } from './open-inference.ts'

export interface Credential {
  /** The values of the Authorization header, as they came. */
  authorization: string | undefined
  clientAddress: string
  /** Told whose key it is, also where that may not be used. */
  recognised?: (key: CachedKey) => void
}

/**
 * Whose key it is, and whether it may be used here and now (docs/behaviour.md, Errors). Throws `no_access`
 * for a missing, malformed, unknown or revoked one, `key_disabled`, `key_expired`,
 * `provisioning_key_refused`, `ip_not_allowed`; `unavailable` when neither a fresh copy nor Postgres can say.
 */
export async function identify(inference: Inference, credential: Credential): Promise<CachedKey> {
  const text = readBearer(credential.authorization)
  const parsed = text ? parseKeyText(text) : undefined
  if (!text || !parsed) throw new Problem('no_access')
  const { clock } = inference.context
  const hmac = inference.hmacOf(text)
  const key =
    inference.keys.known(parsed.publicId) ??
    (await inference.keys.find(parsed.publicId, hmac).catch(notAsked))
  if (!sameHmac(hmac, key?.hmac) || !key) throw new Problem('no_access')
  credential.recognised?.(key)
  const use = { now: clock.monotonic(), clientAddress: credential.clientAddress }
  if (!objectionTo(key, use)) return key
  // It may have been allowed just now: before a copy refuses, Postgres is asked.
  const current = await inference.keys.read(parsed.publicId).catch(notAsked)
  if (!current) throw new Problem('no_access')
  requireUsable(current, use)
  return current
}

/** When and from where a key is used. */
export interface KeyUse {
  /** On the monotonic clock. */
  now: number
  clientAddress: string
}

/** Throws what stands against the key's use. */
export function requireUsable(key: CachedKey, use: KeyUse): void {
  const objection = objectionTo(key, use)
  if (objection) throw new Problem(objection)
}

function objectionTo(key: CachedKey, { now, clientAddress }: KeyUse): ErrorName | undefined {
  if (key.isRevoked) return 'no_access'
  if (key.disabled) return 'key_disabled'
  if (key.expiresAt !== null && key.expiresAt <= now) return 'key_expired'
  if (key.isProvisioning) return 'provisioning_key_refused'
  return key.allowsAddress(clientAddress) ? undefined : 'ip_not_allowed'
}

function notAsked(cause: unknown): never {
  throw new Problem('unavailable', { retryAfterSeconds: 1, cause })
}
