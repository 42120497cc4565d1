import { Problem } from '../../schema/errors.ts'
import type { KeyCopy } from '../keys/key-copy.ts'
import { parseKeyText, sameHmac } from '../keys/key-text.ts'
import type { Inference } from './open-inference.ts'

export interface Credential {
  /** The values of the Authorization header, as they came. */
  authorization: string | undefined
  clientAddress: string
}

/**
 * Whose key it is, and whether it may be used here and now (decisions: order of checks). Throws `no_access` for a
 * missing, malformed, unknown or revoked one, `key_disabled`, `key_expired`, `provisioning_key_refused`,
 * `ip_not_allowed`; `unavailable` when neither a fresh copy nor Postgres can say.
 */
export async function identify(inference: Inference, credential: Credential): Promise<KeyCopy> {
  const text = /^Bearer ([^\s,]+)$/i.exec(credential.authorization ?? '')?.[1]
  const parsed = text ? parseKeyText(text) : undefined
  if (!text || !parsed) throw new Problem('no_access')
  const { clock } = inference.context
  const hmac = inference.hmacOf(text)
  const key = await findKey(inference, parsed.publicId, hmac)
  if (!sameHmac(hmac, key?.hmac) || !key) throw new Problem('no_access')
  requireUsable(key, clock.now())
  if (!key.allowsAddress(credential.clientAddress)) throw new Problem('ip_not_allowed')
  return key
}

/** Throws what stands against the key at this moment. */
export function requireUsable(key: KeyCopy, now: number): void {
  if (key.isRevoked) throw new Problem('no_access')
  if (key.disabled) throw new Problem('key_disabled')
  if (key.expiresAt !== null && key.expiresAt <= now) throw new Problem('key_expired')
  if (key.isProvisioning) throw new Problem('provisioning_key_refused')
}

async function findKey(inference: Inference, publicId: string, hmac: Buffer): Promise<KeyCopy | undefined> {
  try {
    return await inference.keys.find(publicId, hmac)
  } catch (error) {
    throw new Problem('unavailable', { retryAfterSeconds: 1, cause: error })
  }
}
