import { type Patience, waitWithPatience } from '../../platform/patience.ts'
import { type ErrorName, Problem } from '../../schema/errors.ts'
import { readBearer } from '../callers/caller.ts'
import { type CachedKey, isSecretOf } from '../keys/key-cache.ts'
import { callStartsWithinMs, maxComparedKeyAgeMs, maxKeyAgeMs } from '../keys/key-revision.ts'
import { type KeyHmacs, parseKeyText } from '../keys/key-text.ts'
import type { Inference } from './open-inference.ts'

/** The key that a request presents, and the conditions under which it is accepted. */
export interface PresentedKey {
  /** The values of the Authorization header, as the client sent them. */
  authorization: string | undefined
  clientAddress: string
  patience: Patience
  /**
   * Whether the request then compares the key's revision with Redis (`checkKeyAndRate`), so that an older copy of the key
   * suffices here.
   */
  isCompared?: boolean
  /** Whether provisioning keys are accepted too. */
  admitsProvisioning?: boolean
  /** Identifies a request whose token is not an API key. Without it, such a request has no access. */
  identifyOther?: ((token: string) => Promise<CachedKey>) | undefined
  /** Called with the key and its presented HMACs once it is recognised, even if the request is then refused. */
  recognised?: (key: CachedKey, hmacs: KeyHmacs) => void
}

/**
 * Returns the key of a request, if the request may use it (docs/behaviour.md, Errors). Throws `no_access` for a missing,
 * malformed, unknown or revoked key, `account_suspended`, `account_closed`, `key_disabled`, `key_expired`, `provisioning_key_refused`,
 * `ip_not_allowed`, `unavailable` if there is no fresh copy and Postgres does not answer, and the errors of
 * `identifyOther`.
 */
export async function identify(inference: Inference, presented: PresentedKey): Promise<CachedKey> {
  const text = readBearer(presented.authorization)
  const parsed = text ? parseKeyText(text) : undefined
  if (!text || !parsed) return identifyOther(presented, text)
  const hmacs = inference.hmacsOf(text)
  const known = inference.keys.known(
    parsed.publicId,
    presented.isCompared ? maxComparedKeyAgeMs : maxKeyAgeMs,
  )
  const { clock } = inference.context
  const { clientAddress, admitsProvisioning, patience } = presented
  let key =
    known ??
    (await waitWithPatience(patience, clock, inference.keys.find(parsed.publicId, hmacs[0])).catch(
      throwUnavailable,
    ))
  const use = { now: clock.monotonic(), clientAddress, admitsProvisioning, hmacs }
  if (!isSecretOf(key, use)) key = key && (await readRolled(inference, key, patience))
  if (!isSecretOf(key, use)) throw new Problem('no_access')
  presented.recognised?.(key, hmacs)
  return objectionTo(key, use) ? readUsable(inference, key, { use, patience }) : key
}

async function identifyOther(presented: PresentedKey, token: string | undefined): Promise<CachedKey> {
  if (token === undefined || !presented.identifyOther) throw new Problem('no_access')
  return presented.identifyOther(token)
}

/**
 * Reads a key again whose copy has another secret, because it may have been rolled since. A roll is confirmed after
 * `callStartsWithinMs`, so a copy that is younger has the secret that its client received. Wrong secrets therefore cause
 * few reads.
 */
async function readRolled(
  { keys, context: { clock } }: Inference,
  { publicId }: CachedKey,
  patience: Patience,
): Promise<CachedKey | undefined> {
  if (keys.known(publicId, callStartsWithinMs)) return undefined
  return waitWithPatience(patience, clock, keys.read(publicId)).catch(throwUnavailable)
}

/** Reads a key from Postgres before its copy refuses a request: the key may have been allowed since. */
async function readUsable(
  { keys, context: { clock } }: Inference,
  { publicId }: CachedKey,
  { use, patience }: { use: KeyUse; patience: Patience },
): Promise<CachedKey> {
  const current = await waitWithPatience(patience, clock, keys.read(publicId)).catch(throwUnavailable)
  if (!current) throw new Problem('no_access')
  requireUsable(current, use)
  return current
}

/** The time and the client address of a key's use. */
export interface KeyUse {
  /** On the monotonic clock. */
  now: number
  clientAddress: string
  /** Whether provisioning keys are accepted too. */
  admitsProvisioning?: boolean | undefined
  /** The HMACs of the presented key. */
  hmacs: readonly Buffer[]
}

/**
 * Throws the error of the first rule that forbids the use of a key. A secret that was rolled is refused as an unknown
 * key.
 */
export function requireUsable(key: CachedKey, use: KeyUse): void {
  const objection = isSecretOf(key, use) ? objectionTo(key, use) : 'no_access'
  if (objection) throw new Problem(objection)
}

function objectionTo(
  key: CachedKey,
  { now, clientAddress, admitsProvisioning }: Omit<KeyUse, 'hmacs'>,
): ErrorName | undefined {
  if (key.isRevoked) return 'no_access'
  if (key.accountRefusal) return key.accountRefusal
  if (key.disabled) return 'key_disabled'
  if (key.expiresAt !== null && key.expiresAt <= now) return 'key_expired'
  if (key.isProvisioning && !admitsProvisioning) return 'provisioning_key_refused'
  return key.allowsAddress(clientAddress) ? undefined : 'ip_not_allowed'
}

function throwUnavailable(cause: unknown): never {
  throw new Problem('unavailable', { retryAfterSeconds: 1, cause })
}
