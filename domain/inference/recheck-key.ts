import { Problem } from '../../schema/errors.ts'
import { admissionValidMs, callStartsWithinMs } from '../keys/key-revision.ts'
import { revisionName } from '../rates/rate-script.ts'
import { type Allowed, currentCopy } from './check-key-and-rate.ts'
import { requireUsable } from './identify.ts'
import type { Inference } from './open-inference.ts'

/**
 * Asked before each upstream call: does the key still stand? An admission younger than `admissionValidMs` is
 * answer enough, since a revocation is not confirmed before that has passed (docs/behaviour.md, Errors).
 * Throws what `identify` throws.
 */
export async function recheckKey(inference: Inference, allowed: Allowed): Promise<void> {
  const { clock } = inference.context
  const now = clock.monotonic()
  if (now - allowed.checkedAt < admissionValidMs) return
  const { key } = allowed
  const name = revisionName(inference.rates.prefix, key.accountId, key.keyId)
  const told = await inference.rates.redis.get(name).then(
    text => (text === null ? undefined : BigInt(text)),
    () => null,
  )
  const current = await currentCopy(inference, key, told)
  if (current.keyId !== key.keyId) throw new Problem('no_access')
  requireUsable(current, { now: clock.monotonic(), clientAddress: allowed.clientAddress })
  allowed.key = current
  allowed.checkedAt = now
}

/**
 * Whether what `recheckKey` last found may still begin a call: asked when the bytes of the call are about to leave on
 * a connected socket, which a slow handshake may delay by seconds.
 */
export function mayStartCall({ context }: Inference, { checkedAt }: Allowed): boolean {
  return context.clock.monotonic() - checkedAt < callStartsWithinMs
}
