import { setTimeout as sleep } from 'node:timers/promises'
import { NoAnswerInTime } from '../../platform/clock.ts'
import { type Patience, waitWithPatience } from '../../platform/patience.ts'
import { isTransient } from '../../platform/postgres/transient-errors.ts'
import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'
import { answerTimeoutMs } from '../ledger/ledger.ts'
import { type Claim, type Claimed, claimKey, type KeptAnswer } from './claim-key.ts'
import { endClaim } from './end-claim.ts'

/** The request that runs with a claim. */
export interface OnceRequest {
  requestId: string
  /** Milliseconds since 1970. */
  startedAt: number
  /**
   * Stores the response. Call it when the charge is durable, and before the last bytes are sent. Resolves to the stored
   * response, which may be another process's. Never throws.
   */
  keep(answer: KeptAnswer): Promise<KeptAnswer>
}

/** Stores the response of a request under its key. */
export type KeepAnswer = OnceRequest['keep']

/** Minimum and maximum interval at which another process's response is polled, in milliseconds. */
const minPollMs = 50
const maxPollMs = 1_000

/**
 * The requests with keys that are running in this process, by their claim. Each resolves to its response, or to
 * undefined if it has none. One request claims the key and runs, or waits for another process. All others with the same
 * claim wait for that request.
 */
export type RunningTries = Map<string, Promise<KeptAnswer | undefined>>

/** One request with a key. */
export interface Try {
  claim: Claim
  /** The request's patience with Postgres. */
  patience: Patience
  /** Aborted when the client disconnects. The request then no longer waits for another request's response. */
  signal: AbortSignal
  run(request: OnceRequest): Promise<void>
}

/**
 * Runs a request once per key. Resolves to the stored response if another request with the key has run, to `ran` if
 * this one ran, and to `aborted` if its client disconnected while it waited. A run that ends without a response
 * releases the key, and one of the waiting requests runs. Throws the errors of `run`, `idempotency_conflict`, and
 * `unavailable` if Postgres does not respond.
 */
export async function runOnce(
  context: Context,
  tries: RunningTries,
  own: Try,
): Promise<KeptAnswer | 'ran' | 'aborted'> {
  const { accountId, key, fingerprint } = own.claim
  const name = `${accountId} ${fingerprint.toString('base64')} ${key}`
  for (let other = tries.get(name); other; other = tries.get(name)) {
    const answer = await unlessAborted(other, own.signal)
    if (answer) return answer
  }
  const ending = Promise.withResolvers<KeptAnswer | undefined>()
  ending.promise.catch(() => {}) // the waiting requests handle the error
  tries.set(name, ending.promise)
  try {
    return await claimAndRun(context, own, ending)
  } finally {
    tries.delete(name)
    ending.resolve(undefined)
  }
}

/** Waits for a promise, or until the signal is aborted. */
async function unlessAborted<Value>(waited: Promise<Value>, signal: AbortSignal): Promise<Value | 'aborted'> {
  if (signal.aborted) return 'aborted'
  const aborted = Promise.withResolvers<'aborted'>()
  const abort = () => aborted.resolve('aborted')
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([waited, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** Resolves `ending` with the response, or rejects it with the error of Postgres, for all waiting requests. */
async function claimAndRun(
  context: Context,
  { claim, patience: first, signal, run }: Try,
  ending: PromiseWithResolvers<KeptAnswer | undefined>,
): Promise<KeptAnswer | 'ran' | 'aborted'> {
  let patience = first
  for (let pollMs = minPollMs; ; pollMs = Math.min(pollMs * 2, maxPollMs)) {
    const claimed = await claimInTime(context, claim, patience).catch(error => {
      ending.reject(error)
      throw error
    })
    if (claimed.state === 'answered') {
      ending.resolve(claimed.answer)
      return claimed.answer
    }
    if (claimed.state === 'run') {
      await runClaimed(context, claim, claimed, async request => {
        const keep = async (answer: KeptAnswer) => {
          const stored = await request.keep(answer)
          ending.resolve(stored)
          return stored
        }
        await run({ ...request, keep })
      })
      return 'ran'
    }
    patience = { leftMs: answerTimeoutMs } // Postgres responded: the next poll gets the full patience again
    if ((await unlessAborted(sleep(pollMs * (0.75 + Math.random() / 2)), signal)) === 'aborted')
      return 'aborted'
  }
}

/** Claims a key within the request's patience. If Postgres grants the claim later, the key is released. */
async function claimInTime(context: Context, claim: Claim, patience: Patience): Promise<Claimed> {
  const claiming = claimKey(context, claim)
  try {
    return await waitWithPatience(patience, context.clock, claiming)
  } catch (error) {
    if (error instanceof Problem) throw error
    void claiming.then(
      claimed => {
        if (claimed.state === 'run') void endClaim(context, { ...claim, ...claimed }, undefined)
      },
      () => {},
    )
    throw error instanceof NoAnswerInTime || isTransient(error)
      ? new Problem('unavailable', { retryAfterSeconds: 1, cause: error })
      : error
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
    if (!hasAnswer) await endClaim(context, own, undefined)
  }
}
