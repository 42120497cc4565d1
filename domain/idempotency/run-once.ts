import { setTimeout as sleep } from 'node:timers/promises'
import { isTransient } from '../../platform/postgres/transient-errors.ts'
import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'
import { type Claim, claimKey, type KeptAnswer } from './claim-key.ts'
import { endClaim } from './end-claim.ts'

/**
 * The request under a claim: its id and time, and where its answer is kept before its last bytes leave. Keep it when
 * its charge is durable; that never fails. It resolves to the answer that stands, see `keepAnswer`.
 */
export interface OnceRequest {
  requestId: string
  /** Milliseconds since 1970. */
  startedAt: number
  keep(answer: KeptAnswer): Promise<KeptAnswer>
}

/** Waiting for another process's answer: first after so long, then up to so long, in milliseconds. */
const firstLookMs = 50
const longestLookMs = 1_000

/**
 * Tries of this process that are under way, by what they claim: the answer that each ends with, undefined where it has
 * none. One of them claims, runs, or waits for another process; the others wait for it.
 */
export type TriesUnderWay = Map<string, Promise<KeptAnswer | undefined>>

/** One try under a key. */
export interface Try {
  claim: Claim
  /** Aborted when the client leaves, which then waits no longer for another try's answer. */
  left: AbortSignal
  run(request: OnceRequest): Promise<void>
}

/**
 * Runs a request once per key: resolves to the kept answer where another try has run it, to `ran` where this one
 * did, and to `left` where its client has gone. A run that ends without an answer gives the key up: the next try that
 * waits runs. Throws what `run` throws, `idempotency_conflict`, and `unavailable` when Postgres cannot be asked.
 */
export async function runOnce(
  context: Context,
  tries: TriesUnderWay,
  own: Try,
): Promise<KeptAnswer | 'ran' | 'left'> {
  const { accountId, key, fingerprint } = own.claim
  const name = `${accountId} ${fingerprint.toString('base64')} ${key}`
  for (let other = tries.get(name); other; other = tries.get(name)) {
    const answer = await untilLeft(other, own.left)
    if (answer) return answer
  }
  const ending = Promise.withResolvers<KeptAnswer | undefined>()
  ending.promise.catch(() => {}) // who waits is told
  tries.set(name, ending.promise)
  try {
    return await claimAndRun(context, own, ending)
  } finally {
    tries.delete(name)
    ending.resolve(undefined)
  }
}

/** What others wait for, or `left` as soon as nobody wants it here. */
async function untilLeft<Value>(waited: Promise<Value>, left: AbortSignal): Promise<Value | 'left'> {
  if (left.aborted) return 'left'
  const leaving = Promise.withResolvers<'left'>()
  const leave = () => leaving.resolve('left')
  left.addEventListener('abort', leave)
  try {
    return await Promise.race([waited, leaving.promise])
  } finally {
    left.removeEventListener('abort', leave)
  }
}

/** Tells `ending` the answer, or why Postgres could not be asked: one question for all who wait. */
async function claimAndRun(
  context: Context,
  { claim, left, run }: Try,
  ending: PromiseWithResolvers<KeptAnswer | undefined>,
): Promise<KeptAnswer | 'ran' | 'left'> {
  for (let lookMs = firstLookMs; ; lookMs = Math.min(lookMs * 2, longestLookMs)) {
    const claimed = await claimKey(context, claim).catch(error => {
      const problem = isTransient(error)
        ? new Problem('unavailable', { retryAfterSeconds: 1, cause: error })
        : error
      ending.reject(problem)
      throw problem
    })
    if (claimed.state === 'answered') {
      ending.resolve(claimed.answer)
      return claimed.answer
    }
    if (claimed.state === 'run') {
      await runClaimed(context, claim, claimed, async request => {
        const keep = async (answer: KeptAnswer) => {
          const standing = await request.keep(answer)
          ending.resolve(standing)
          return standing
        }
        await run({ ...request, keep })
      })
      return 'ran'
    }
    if ((await untilLeft(sleep(lookMs * (0.75 + Math.random() / 2)), left)) === 'left') return 'left'
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
