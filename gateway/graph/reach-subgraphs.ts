import httpTransport from '@graphql-mesh/transport-http'
import { getOperationAST, print } from 'graphql'
import type { Config } from '../../platform/config/read-config.ts'
import type { Span } from '../../platform/tracing/tracing.ts'
import { Problem } from '../../schema/errors.ts'
import type { Call } from '../../subgraphs/runtime/call.ts'
import { signCall } from '../../subgraphs/runtime/signed-call.ts'
import type { ShareFetch } from './share-fetches.ts'
import { isShareable, type ShareSubscription } from './share-subscriptions.ts'
import { subscribeRemotely } from './subscribe-remotely.ts'

/** The options that the runtime passes to a subgraph's executor. */
export type ExecutorOptions = Parameters<typeof httpTransport.getSubgraphExecutor>[0]

/** The results that the runtime accepts. */
export type ExecutorResult = Awaited<ReturnType<ReturnType<typeof httpTransport.getSubgraphExecutor>>>

/** Timeout of requests to a subgraph over HTTP, in milliseconds. */
const timeoutMs = 15_000

/** The URL of a subgraph over HTTP, and the functions with which its callers share fetches. */
interface RemoteOptions {
  url: string
  config: Config
  share: ShareFetch
  shareSubscription: ShareSubscription
}

/** Returns the executor of a subgraph over HTTP. Each request carries the call, signed together with the body. */
export function remoteExecutor(
  options: ExecutorOptions,
  { url, config, share, shareSubscription }: RemoteOptions,
) {
  const { fetch } = options
  if (!fetch) throw new Error('The gateway runtime did not pass fetch')
  const signedFetch: typeof fetch = async (address, init, context, info) => {
    const body = typeof init?.body === 'string' ? init.body : ''
    const signature = signCall(callOf(context), {
      secrets: config.subgraphSecrets,
      subgraph: options.subgraphName,
      body,
      now: Date.now(),
    })
    const signed = { ...init, headers: { ...init?.headers, ...signature } }
    const response = await Promise.resolve(fetch(address, signed, context, info)).catch(cause => {
      throw new Problem('unavailable', { cause, internal: `${options.subgraphName} is not reachable` })
    })
    if (response.status < 500 && response.status !== 401) return response
    throw new Problem('unavailable', { internal: `${options.subgraphName} answered ${response.status}` })
  }
  const execute = httpTransport.getSubgraphExecutor({
    ...options,
    fetch: signedFetch,
    transportEntry: {
      ...options.transportEntry,
      location: url,
      options: { method: 'POST', timeout: timeoutMs },
    },
  })
  const executeOrSubscribe = async (request: Parameters<typeof execute>[0]): Promise<ExecutorResult> => {
    const { subgraphName: subgraph } = options
    const { document, variables, operationName } = request
    const operation = getOperationAST(document, operationName)
    const context = contextOf(request.context)
    if (operation?.operation !== 'subscription')
      return share({ subgraph, document, operationName, variables, context }, async () => execute(request))
    const body = JSON.stringify({ query: print(document), variables, operationName })
    const sign = () =>
      signCall(context.call, { secrets: config.subgraphSecrets, subgraph, body, now: Date.now() })
    const subscribe = () => subscribeRemotely({ subgraph, url, body, sign })
    const { caller } = context.call
    if (!caller || !isShareable(document, operationName)) return subscribe()
    return shareSubscription(JSON.stringify([subgraph, body, caller]), subscribe)
  }
  return Object.assign(executeOrSubscribe, {
    [Symbol.asyncDispose]: async () => execute[Symbol.asyncDispose](),
  })
}

/** The context that the gateway gives each operation. */
export interface GraphContext extends Record<string, unknown> {
  call: Call
  /** Every `Authorization` header of the call. */
  authorization?: readonly string[]
  /** Whether the operation is a subscription. The fetches of its events are shared (`share-fetches.ts`). */
  isSubscription?: boolean
  /** The span of the operation, if it is traced. */
  span?: Span
}

/** Returns the call of an operation. */
export function callOf(context: unknown): Call {
  return contextOf(context).call
}

/** Returns the context that the gateway gave an operation. */
export function contextOf(context: unknown): GraphContext {
  if (isGraphContext(context)) return context
  throw new Error('The operation has no call')
}

function isGraphContext(context: unknown): context is GraphContext {
  return typeof context === 'object' && context !== null && 'call' in context
}
