import type { ExecutionResult, SubscriptionForwarder } from 'urql'
import type { Subscribe } from './subscribe.ts'

type Sink = { next(value: ExecutionResult): void; error(error: unknown): void; complete(): void }

/** Forwards subscriptions over one WebSocket, whose code is loaded with the first subscription. */
export function lazySubscriptions(
  path: string,
  token: () => Promise<string | undefined>,
): SubscriptionForwarder {
  let opening: Promise<Subscribe> | undefined
  return ({ query, variables }) => ({
    subscribe(sink: Sink) {
      let unsubscribe = () => {}
      let hasEnded = false
      opening ??= import('./subscribe.ts').then(({ openSubscriptions }) => openSubscriptions(path, token))
      opening.then(
        subscribe => {
          if (!hasEnded) unsubscribe = subscribe({ query: query ?? '', variables }, sink)
        },
        error => sink.error(error),
      )
      return {
        unsubscribe() {
          hasEnded = true
          unsubscribe()
        },
      }
    },
  })
}
