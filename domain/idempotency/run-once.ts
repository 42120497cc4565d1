import { setTimeout as sleep } from 'node:timers/promises'
import { isPassing } from '../../platform/postgres/passing-errors.ts'
import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'
import { type Claim, claimKey, type KeptAnswer } from './claim-key.ts'
import { endClaim } from './end-claim.ts'

/**
 * The request under a claim: its id and time, and where its answer is kept before its last bytes leave. Keep it when
 * its charge is durable; that never fails.
 */
export interface OnceRequest {
  requestId: string
  /** Milliseconds since 1970. */
  startedAt: number
  keep(answer: KeptAnswer): Promise<void>
}

/** Waiting for another process's answer: first after so long, then up to so long, in milliseconds. */
const firstLookMs = 20
const longestLookMs = 250

/** One try under a key. */
export interface Try {
  claim: Claim
  /** Whether the client is still there, to wait for another try's answer. */
  isWanted(): boolean
  run(request: OnceRequest): Promise<void>
}

/**
 * Runs a request once per key: resolves to the kept answer where another try has run it, to `ran` where this one
 * did, and to `left` where nobody wants it any more. A run that ends without an answer gives the key up. Throws what
 * `run` throws, `idempotency_conflict`, and `unavailable` when Postgres cannot be asked.
 */
export async function runOnce(
  context: Context,
  { claim, isWanted, run }: Try,
): Promise<KeptAnswer | 'ran' | 'left'> {
  for (let lookMs = firstLookMs; ; lookMs = Math.min(lookMs * 2, longestLookMs)) {
    const claimed = await claimKey(context, claim).catch(error => {
      throw isPassing(error) ? new Problem('unavailable', { retryAfterSeconds: 1, cause: error }) : error
    })
    if (claimed.state === 'answered') return claimed.answer
    if (claimed.state === 'run') {
      await runClaimed(context, claim, claimed, run)
      return 'ran'
    }
    if (!isWanted()) return 'left'
    await sleep(lookMs)
  }
}

async function runClaimed(
  context: Context,
  claim: Claim,
  { requestId, startedAt }: { requestId: string; startedAt: number },
  run: Try['run'],
): Promise<void> {
  const own = { ...claim, requestId }
  let hasAnswer = false
  const keep = (answer: KeptAnswer) => {
    hasAnswer = true
    return endClaim(context, own, answer)
  }
  try {
    await run({ requestId, startedAt, keep })
  } finally {
    if (!hasAnswer) await endClaim(context, own)
  }
}
