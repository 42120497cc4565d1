import type { Next, ParameterizedContext } from 'koa'
import type { Context } from '../../domain/context.ts'
import { answerJson } from '../../platform/http/answer-unread.ts'
import { readBody } from '../../platform/http/read-body.ts'
import type { RedisClient } from '../../platform/redis/open-redis.ts'
import { openWindows } from '../../platform/windows/windows.ts'
import { Problem, presentProblem } from '../../schema/errors.ts'
import type { Call } from './call.ts'
import { maxAgeMs, openSignedCall, type SignedCall } from './signed-call.ts'

export interface SignedState {
  call: Call
}

type State = ParameterizedContext<SignedState>

/** Maximum size of a body from a gateway, in bytes. A body can list many entity IDs. */
const maxBodyBytes = 16 * 1024 * 1024

/**
 * Returns middleware that answers 401 if the gateway did not sign the request for this subgraph, or if the request was
 * sent before. Otherwise it parses the body and sets `ctx.state.call`.
 */
export function openSignedBody(
  { config, ids, redis }: Pick<Context, 'config' | 'ids' | 'redis'>,
  subgraph: string,
) {
  const seen = openUsedNonces({ redis, prefix: config.redisPrefix })
  return async (ctx: State, next: Next): Promise<void> => {
    const body = await bodyOf(ctx)
    const signed = body === undefined ? undefined : opened(ctx, body)
    const isOurs = signed !== undefined && (await seen.isFirst(signed.nonce))
    ctx.set('x-request-id', isOurs ? signed.call.requestId : ids.tagged('req_'))
    if (!isOurs || body === undefined) return refuse(ctx)
    ctx.state.call = signed.call
    Object.assign(ctx.request, { body: JSON.parse(body) })
    await next()
  }

  function opened(ctx: State, body: string): SignedCall | undefined {
    return openSignedCall(ctx.headers, { secrets: config.subgraphSecrets, subgraph, body, now: Date.now() })
  }
}

/** Returns the body of a POST, or `undefined` for other methods and unreadable bodies. */
async function bodyOf(ctx: State): Promise<string | undefined> {
  if (ctx.method !== 'POST') return undefined
  return readBody(ctx.req, maxBodyBytes).then(
    read => read.toString(),
    () => undefined,
  )
}

function refuse(ctx: State): void {
  const problem = new Problem('unauthenticated')
  answerJson(ctx, { status: problem.status, body: presentProblem(problem) })
}

/**
 * The nonces that any process of a subgraph has seen. While Redis is unavailable, only the nonces of this process are
 * known.
 */
interface UsedNonces {
  /** Returns whether the nonce is new, and marks it as used. */
  isFirst(nonce: string): Promise<boolean>
}

/** How long a nonce is remembered, in milliseconds. A gateway's clock can be behind or ahead by up to `maxAgeMs`. */
const nonceLifetimeMs = 2 * maxAgeMs + 1_000

/**
 * Opens the record of used nonces. Each process keeps the last 200,000 in memory and shares all of them through Redis.
 */
function openUsedNonces({ redis, prefix }: { redis: RedisClient; prefix: string }): UsedNonces {
  const seen = openWindows({ windowMs: nonceLifetimeMs, maxNames: 200_000 })
  return {
    async isFirst(nonce) {
      if (!seen.count(nonce, { max: 1 }).isCounted) return false
      return redis.set(`${prefix}signed:${nonce}`, '1', 'PX', nonceLifetimeMs, 'NX').then(
        answer => answer === 'OK',
        () => true,
      )
    },
  }
}
