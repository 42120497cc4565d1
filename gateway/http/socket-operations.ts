import type { IncomingMessage } from 'node:http'
import type { ExecutionArgs, ExecutionResult, GraphQLError } from 'graphql'
import type { ServerOptions } from 'graphql-ws'
import type { WebSocket } from 'ws'
import { Problem } from '../../schema/errors.ts'
import { presented, problemFrom } from '../../subgraphs/runtime/present-error.ts'
import { callOf } from '../graph/reach-subgraphs.ts'
import { authenticateCall, type Callers } from './identify-caller.ts'
import type { Turns } from './take-turns.ts'

/** The `extra` of graphql-ws: a WebSocket and the request that opened it. */
export interface SocketExtra {
  socket: WebSocket
  request: IncomingMessage
}

/** The payload that a client sends when it opens a connection. */
export type ConnectionParams = Record<string, unknown>

type Options = ServerOptions<ConnectionParams, SocketExtra>

/** Maximum number of running operations of a connection. */
const maxOperations = 100

/**
 * Returns whether a connection may be opened. It is refused if its token is refused, which counts as a call of the
 * address. While tokens cannot be checked, connections are opened and each operation reports the reason.
 */
export async function admits(
  callers: Callers,
  arriving: Parameters<typeof authenticateCall>[1],
): Promise<boolean> {
  const { address } = arriving.call
  if (arriving.authorization.length === 0) return true
  try {
    callers.rates.check(address)
    const { refusal } = await authenticateCall(callers, arriving)
    if (refusal) await callers.rates.count(address)
    return !refusal
  } catch (error) {
    return problemFrom(error).status >= 500
  }
}

/** The result of an operation of the runtime. */
type Result = Awaited<ReturnType<NonNullable<Options['subscribe']>>>

/**
 * Runs each operation in a turn of its account before the protocol answers it. A refused operation, or one with an
 * invalid document, gets an `error` message. Its connection stays open, and other operations continue.
 */
export function serveOperations(
  { onSubscribe, subscribe }: Options,
  turns: Turns,
): Required<Pick<Options, 'onSubscribe' | 'subscribe'>> {
  const results = new WeakMap<ExecutionArgs, Result>()
  return {
    async onSubscribe(ctx, id, payload) {
      try {
        if (Object.keys(ctx.subscriptions).length > maxOperations) throw tooMany()
        const args = await onSubscribe?.(ctx, id, payload)
        if (!args || !('document' in args) || !subscribe) return args
        const end = await turns.begin(callOf(args.contextValue))
        const result = await Promise.resolve(subscribe(args)).finally(end)
        if (isRefusal(result)) return result.errors
        results.set(args, result)
        return args
      } catch (error) {
        return [presented(problemFrom(error))]
      }
    },
    subscribe: args => results.get(args) ?? { errors: [presented(new Problem('internal'))] },
  }
}

/** Returns whether a result has no `data`, so that nothing was executed. */
function isRefusal(result: Result): result is ExecutionResult & { errors: readonly GraphQLError[] } {
  return 'errors' in result && !('data' in result) && Array.isArray(result.errors)
}

function tooMany(): Problem {
  const message = `A connection can have at most ${maxOperations} running operations.`
  return new Problem('rate_limit_exceeded', { message, retryAfterSeconds: 1 })
}
