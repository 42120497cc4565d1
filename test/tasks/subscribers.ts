import { createClient as createSseClient } from 'graphql-sse'
import { createClient as createSocketClient } from 'graphql-ws'
import { WebSocket } from 'ws'

/** A client of subscriptions, over either protocol. */
export interface Subscriber {
  subscribe(query: string, variables?: Record<string, unknown>): AsyncIterableIterator<Result>
  dispose(): Promise<void>
}

export interface Result {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into what a server answers, and fail where it is not there
  data?: any
  errors?: readonly { message: string; extensions?: Record<string, unknown> }[]
}

/** Opens a client of each protocol. `url` is the URL of a control plane or of an edge before it. */
export const protocols = { 'graphql-ws': openSocketClient, 'graphql-sse': openSseClient } as const

export type Protocol = keyof typeof protocols

function openSocketClient(url: string, token: string): Subscriber {
  const client = createSocketClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${token}` },
    retryAttempts: 0,
  })
  return {
    subscribe: (query, variables) => results(client.iterate({ query, variables: variables ?? null })),
    dispose: async () => void (await client.dispose()),
  }
}

function openSseClient(url: string, token: string): Subscriber {
  const client = createSseClient({
    url: `${url}/graphql`,
    headers: { authorization: `Bearer ${token}` },
    retryAttempts: 0,
  })
  return {
    subscribe: (query, variables = {}) => results(client.iterate({ query, variables })),
    dispose: async () => client.dispose(),
  }
}

/** The errors of a subscription that did not begin are a result over SSE, and are thrown over WebSocket. */
function refused(errors: unknown): IteratorResult<unknown> {
  if (Array.isArray(errors)) return { done: false, value: { errors } }
  throw errors
}

/** What both clients answer has types of their own. */
function results(events: AsyncIterableIterator<unknown>): AsyncIterableIterator<Result> {
  return {
    next: async () => {
      const step = await events.next().catch(refused)
      return step.done ? { done: true, value: undefined } : { done: false, value: Object(step.value) }
    },
    return: async () => {
      await events.return?.()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
