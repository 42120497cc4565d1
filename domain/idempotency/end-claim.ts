import { setTimeout as sleep } from 'node:timers/promises'
import { isTransient } from '../../platform/postgres/transient-errors.ts'
import { withTimeout } from '../../platform/with-timeout.ts'
import type { Context } from '../context.ts'
import type { KeptAnswer } from './claim-key.ts'
import { giveUpKey } from './give-up-key.ts'
import { type Claimant, keepAnswer } from './keep-answer.ts'

/** A request waits at most so long for its claim to end, in milliseconds. */
const patienceMs = 5_000

/** It is tried again after so long, then up to so long. */
const firstRestMs = 50
const longestRestMs = 5_000

/** By then keys are forgotten. */
const dayMs = 86_400_000

/**
 * Ends a claim: keeps its answer, or gives the key up where there is none. Resolves after the first try, to the answer
 * that stands under the key, as far as that is known; one that
 * failed is followed by others in the background, until one succeeds or the key is a day old: others wait for it as
 * long as this process lives. An answer that Postgres refuses for good is given up. Never throws.
 */
export async function endClaim<Answer extends KeptAnswer | undefined>(
  context: Context,
  claim: Claimant,
  answer: Answer,
): Promise<Answer | KeptAnswer> {
  const end = async () =>
    answer ? keepOrGiveUp(context, claim, answer) : void (await giveUpKey(context, claim))
  try {
    return (await withTimeout(patienceMs, end())) ?? answer
  } catch (error) {
    context.log.warn({ err: error, requestId: claim.requestId }, 'a claim on a key ends later')
    void endLater(context, claim, end)
    return answer
  }
}

async function keepOrGiveUp(context: Context, claim: Claimant, answer: KeptAnswer): Promise<KeptAnswer> {
  try {
    return await keepAnswer(context, claim, answer)
  } catch (error) {
    if (isTransient(error)) throw error
    context.log.error({ err: error, requestId: claim.requestId }, 'an answer cannot be kept')
    await giveUpKey(context, claim)
    return answer
  }
}

async function endLater(context: Context, claim: Claimant, end: () => Promise<unknown>): Promise<void> {
  const until = context.clock.monotonic() + dayMs
  for (
    let restMs = firstRestMs;
    context.clock.monotonic() < until;
    restMs = Math.min(restMs * 2, longestRestMs)
  ) {
    await sleep(restMs * (0.5 + Math.random() / 2), undefined, { ref: false })
    const isOver = await end().then(
      () => true,
      error => {
        context.log.debug({ err: error, requestId: claim.requestId }, 'a claim on a key ends later still')
        return isClosed(error)
      },
    )
    if (isOver) return
  }
}

/** This process has closed its connections: it is ending, and its claims with it. */
function isClosed(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'CONNECTION_ENDED'
}
