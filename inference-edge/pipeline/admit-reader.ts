import { checkPoll } from '../../domain/inference/check-poll.ts'
import type { CachedKey } from '../../domain/keys/key-cache.ts'
import { answerTimeoutMs } from '../../domain/ledger/ledger.ts'
import { type Patience, waitWithPatience } from '../../platform/patience.ts'
import { Problem } from '../../schema/errors.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { identifyCaller } from './identify-caller.ts'

/**
 * Returns the key of a request that reads tasks, spending or credits, if the account's allowance of `polls` permits it.
 */
export async function admitReader(
  edge: Edge,
  ctx: EdgeContext,
  { admitsProvisioning = false } = {},
): Promise<CachedKey> {
  const key = await identifyCaller(edge, ctx, { admitsProvisioning })
  const { patience, record, hmacs } = ctx.state
  const clientAddress = record.clientAddress ?? ''
  await checkPoll(edge.inference, key, { clientAddress, hmacs, patience, admitsProvisioning })
  return key
}

/**
 * Resolves to the result of `reading`. Throws `unavailable` if Postgres does not answer within `patience`, 2,000 ms by
 * default.
 */
export async function withinPatience<Read>(
  { inference }: Edge,
  reading: Promise<Read>,
  patience: Patience = { leftMs: answerTimeoutMs },
): Promise<Read> {
  return waitWithPatience(patience, inference.context.clock, reading).catch(cause => {
    throw cause instanceof Problem ? cause : new Problem('unavailable', { retryAfterSeconds: 1, cause })
  })
}
