import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { type Claim, claimKey, type KeptAnswer } from './claim-key.ts'
import { giveUpKey, keepAnswer } from './keep-answer.ts'

/** The request under a claim: its id and time, and where its answer is kept before its last bytes leave. */
export interface OnceRequest {
  requestId: string
  /** Milliseconds since 1970. */
  startedAt: number
  keep(answer: KeptAnswer): Promise<void>
}

/** Waiting for another process's answer: first after so long, then up to so long, in milliseconds. */
const firstLookMs = 20
const longestLookMs = 250

/**
 * Runs a request once per key: resolves to the kept answer where another try has run it, and to nothing where this
 * one did. A run that ends without keeping its answer failed at no cost: the key is given up, and the next try runs
 * anew. Throws what `run` throws, and `idempotency_conflict`.
 */
export async function runOnce(
  context: Context,
  claim: Claim,
  run: (request: OnceRequest) => Promise<void>,
): Promise<KeptAnswer | undefined> {
  for (let lookMs = firstLookMs; ; lookMs = Math.min(lookMs * 2, longestLookMs)) {
    const claimed = await claimKey(context, claim)
    if (claimed.state === 'answered') return claimed.answer
    if (claimed.state === 'run') {
      await runClaimed(context, claim, claimed, run)
      return undefined
    }
    await sleep(lookMs)
  }
}

async function runClaimed(
  context: Context,
  claim: Claim,
  { requestId, startedAt }: { requestId: string; startedAt: number },
  run: (request: OnceRequest) => Promise<void>,
): Promise<void> {
  let isKept = false
  const keep = async (answer: KeptAnswer) => {
    try {
      await keepAnswer(context, claim, answer)
      isKept = true
    } catch (error) {
      // It is charged, so this client gets it all the same; the next try runs anew, and is not charged again.
      context.log.error({ err: error, requestId }, 'an answer was not kept')
    }
  }
  try {
    await run({ requestId, startedAt, keep })
  } finally {
    if (!isKept) {
      await giveUpKey(context, claim).catch(error =>
        context.log.warn({ err: error }, 'a key was not given up'),
      )
    }
  }
}
