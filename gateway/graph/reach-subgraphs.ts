import httpTransport from '@graphql-mesh/transport-http'
import { getOperationAST, print } from 'graphql'
import type { Config } from '../../platform/config/read-config.ts'
import { Problem } from '../../schema/errors.ts'
import type { Call } from '../../subgraphs/runtime/call.ts'
import { signCall } from '../../subgraphs/runtime/signed-call.ts'
import type { ShareFetch } from './share-fetches.ts'
import { isShareable, type ShareSubscription } from './share-subscriptions.ts'
import { subscribeRemotely } from './subscribe-remotely.ts'

/** What the runtime passes to an executor of a subgraph. */
export type ExecutorOptions = Parameters<typeof httpTransport.getSubgraphExecutor>[0]

/** What the runtime accepts as a result. */
export type ExecutorResult = Awaited<ReturnType<ReturnType<typeof httpTransport.getSubgraphExecutor>>>

/** How long a subgraph over HTTP may take, in milliseconds. */
const timeoutMs = 15_000

/** How a subgraph over HTTP is reached, and what its callers share. */
interface RemoteOptions {
  url: string
  config: Config
  share: ShareFetch
  shareSubscription: ShareSubscription
}

/** Executes requests on a subgraph over HTTP. Each carries the call, signed together with the body. */
export function remoteExecutor(
  options: ExecutorOptions,
  { url, config, share, shareSubscription }: RemoteOptions,
) {
  const { fetch } = options
  if (!fetch) throw new Error('The gateway runtime gave no fetch')
  const reach: typeof fetch = async (address, init, context, info) => {
    const body = typeof init?.body === 'string' ? init.body : ''
    const signature = signCall(callOf(context), {
      secret: config.subgraphSecret,
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
    fetch: reach,
    transportEntry: {
      ...options.transportEntry,
      location: url,
      options: { method: 'POST', timeout: timeoutMs },
    },
  })
  const reachOrSubscribe = async (asked: Parameters<typeof execute>[0]): Promise<ExecutorResult> => {
    const { subgraphName: subgraph } = options
    const { document, variables, operationName } = asked
    const operation = getOperationAST(document, operationName)
    const context = contextOf(asked.context)
    if (operation?.operation !== 'subscription')
      return share({ subgraph, document, operationName, variables, context }, async () => execute(asked))
    const body = JSON.stringify({ query: print(document), variables, operationName })
    const sign = () =>
      signCall(context.call, { secret: config.subgraphSecret, subgraph, body, now: Date.now() })
    const subscribe = () => subscribeRemotely({ subgraph, url, body, sign })
    const { caller } = context.call
    if (!caller || !isShareable(document, operationName)) return subscribe()
    return shareSubscription(JSON.stringify([subgraph, body, caller]), subscribe)
  }
  return Object.assign(reachOrSubscribe, {
    [Symbol.asyncDispose]: async () => execute[Symbol.asyncDispose](),
  })
}

/** What the gateway puts into the context of every operation. */
export interface GraphContext extends Record<string, unknown> {
  call: Call
  /** What the call was authenticated with: every `Authorization` header. */
  authorization?: readonly string[]
  /** It is a subscription: what its events look up is shared with others (`share-fetches.ts`). */
  isSubscription?: boolean
}

/** The call that an operation belongs to. */
export function callOf(context: unknown): Call {
  return contextOf(context).call
}

/** The context that the gateway gave an operation. */
export function contextOf(context: unknown): GraphContext {
  if (isGraphContext(context)) return context
  throw new Error('An operation without its call')
}

function isGraphContext(context: unknown): context is GraphContext {
  return typeof context === 'object' && context !== null && 'call' in context
}
