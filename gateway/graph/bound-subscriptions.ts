import type { GatewayPlugin } from '@graphql-hive/gateway-runtime'
import type { ExecutionResult } from 'graphql'
import { Occupancy } from '../../domain/allowances/occupancy.ts'
import type { Context } from '../../domain/context.ts'
import type { Problem } from '../../schema/errors.ts'
import type { Call } from '../../subgraphs/runtime/call.ts'
import { presented, problemFrom } from '../../subgraphs/runtime/present-error.ts'
import { callOf, type GraphContext } from './reach-subgraphs.ts'
import { standingOfCall } from './standing-of-call.ts'

/** Watches whether the tokens of open calls are still valid. */
export interface TokenWatch {
  /**
   * Calls `onEnd` once, within one second after the token is revoked, disabled or expired, or its scopes change. Returns
   * a function that stops watching.
   */
  watch(presented: PresentedToken, onEnd: (problem: Problem) => void): () => void
}

/** The bearer token of a call, the client's IP address, and the caller that the token identified. */
export interface PresentedToken extends Pick<Call, 'address' | 'caller'> {
  /** Every `Authorization` header. */
  authorization: readonly string[]
}

type Step = IteratorResult<ExecutionResult>

/** Maximum number of open subscriptions in a process. */
const maxSubscriptions = 20_000

/**
 * Ends a subscription with an error when its token becomes invalid. Limits the number of open subscriptions of an
 * account in this process (the allowance `subscriptions`). See docs/behaviour.md, Watching tasks.
 */
export function boundSubscriptions(
  tokens: TokenWatch,
  { allowances, metrics }: Pick<Context, 'allowances' | 'metrics'>,
): GatewayPlugin<GraphContext> {
  let count = 0
  metrics.read(
    { name: 'rubicon_subscriptions', help: 'Open subscriptions of the graph.', type: 'gauge' },
    report => report(count),
  )
  const open = new Occupancy(allowances, { resource: 'subscriptions', capacity: maxSubscriptions })
  return {
    async onSubscribe({ args, extendContext }) {
      extendContext({ isSubscription: true })
      const call = callOf(args.contextValue)
      const { authorization = [] } = args.contextValue
      const standing = await standingOfCall(allowances, call)
      return {
        onSubscribeResult({ result, setResult }) {
          if (!isStream(result)) return
          const source = result[Symbol.asyncIterator]()
          try {
            open.occupy(standing, 1)
          } catch (error) {
            void source.return?.()
            setResult({ errors: [presented(problemFrom(error))] })
            return
          }
          count += 1
          const subscription = new Subscription(source, () => {
            count -= 1
            stopWatching()
            open.release(standing, 1)
          })
          const stopWatching = tokens.watch({ ...call, authorization }, problem =>
            subscription.endWith({ errors: [presented(problem)] }),
          )
          setResult(subscription)
        },
      }
    },
  }
}

function isStream(result: unknown): result is AsyncIterable<ExecutionResult> {
  return typeof result === 'object' && result !== null && Symbol.asyncIterator in result
}

/** Forwards events until the source ends, the client disconnects, or `endWith` ends it with a last result. */
class Subscription implements AsyncIterableIterator<ExecutionResult> {
  readonly #source: AsyncIterator<ExecutionResult>
  readonly #onClose: () => void
  #waiting: ((step: Step) => void) | undefined
  #last: ExecutionResult | undefined
  #isOver = false

  /** Creates a subscription. `onClose` is called once. */
  constructor(source: AsyncIterator<ExecutionResult>, onClose: () => void) {
    this.#source = source
    this.#onClose = onClose
  }

  /** Sends a last result to the client and ends the subscription. */
  endWith(result: ExecutionResult): void {
    if (this.#isOver) return
    this.#close()
    if (this.#waiting) this.#waiting({ done: false, value: result })
    else this.#last = result
    void this.#source.return?.()
  }

  next(): Promise<Step> {
    const last = this.#last
    this.#last = undefined
    if (last) return Promise.resolve({ done: false, value: last })
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined })
    return new Promise((resolve, reject) => {
      this.#waiting = resolve
      this.#source.next().then(
        step => {
          if (step.done) this.#close()
          this.#waiting = undefined
          resolve(step)
        },
        error => {
          this.#close()
          reject(error)
        },
      )
    })
  }

  async return(): Promise<Step> {
    this.#close()
    await this.#source.return?.()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #close(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#onClose()
  }
}
