import type { Next, ParameterizedContext } from 'koa'
import type { Context } from '../../domain/context.ts'
import { answerUnread } from '../../platform/http/answer-unread.ts'
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

/** The largest body that a gateway sends, in bytes: it lists entities by their ids. */
const maxBodyBytes = 16 * 1024 * 1024

/**
 * Answers 401 to a request that the gateway did not sign for this subgraph, or that was sent before. Others
 * pass, with their body parsed and their call in `ctx.state`.
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
    return openSignedCall(ctx.headers, { secret: config.subgraphSecret, subgraph, body, now: Date.now() })
  }
}

/** The body of a POST; undefined for other methods, and for a body that cannot be read. */
async function bodyOf(ctx: State): Promise<string | undefined> {
  if (ctx.method !== 'POST') return undefined
  return readBody(ctx.req, maxBodyBytes).then(
    read => read.toString(),
    () => undefined,
  )
}

function refuse(ctx: State): void {
  const problem = new Problem('unauthenticated')
  ctx.status = problem.status
  answerUnread(ctx, presentProblem(problem))
}

/** The nonces that were used, at any process of a subgraph; while Redis is unavailable, at this one. */
interface UsedNonces {
  /** Whether a nonce is used for the first time. It counts as used from then on. */
  isFirst(nonce: string): Promise<boolean>
}

/**
 * How long a nonce is remembered, in milliseconds: a gateway's clock may be behind as well as ahead by
 * `maxAgeMs`.
 */
const rememberedMs = 2 * maxAgeMs + 1_000

/** Opens the nonces. Each process remembers the last 200,000 in memory, and all of them share Redis. */
function openUsedNonces({ redis, prefix }: { redis: RedisClient; prefix: string }): UsedNonces {
  const seen = openWindows({ windowMs: rememberedMs, maxNames: 200_000 })
  return {
    async isFirst(nonce) {
      if (!seen.count(nonce, { max: 1 }).isCounted) return false
      return redis.set(`${prefix}signed:${nonce}`, '1', 'PX', rememberedMs, 'NX').then(
        answer => answer === 'OK',
        () => true,
      )
    },
  }
}
