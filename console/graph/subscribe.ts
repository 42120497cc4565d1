import { createClient, type Sink, type SubscribePayload } from 'graphql-ws'
import { reportUnanswered } from '../session/connection.ts'

/** Subscribes over a WebSocket. Returns the function that ends the subscription. */
export type Subscribe = (
  payload: { query: string; variables?: object | undefined },
  sink: object,
) => () => void

/**
 * Returns a function that subscribes over one WebSocket, which is opened if needed and reconnects. Each connection sends
 * the token of the time.
 */
export function openSubscriptions(path: string, token: () => Promise<string | undefined>): Subscribe {
  const client = createClient({
    url: new URL(path, location.href.replace(/^http/, 'ws')).href,
    connectionParams: async () => ({ authorization: `Bearer ${await token()}` }),
    retryAttempts: Number.POSITIVE_INFINITY,
    shouldRetry: () => true,
    on: { error: reportUnanswered },
  })
  return (payload, sink) => client.subscribe(payload as SubscribePayload, sink as Sink)
}
