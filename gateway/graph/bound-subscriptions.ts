import type { GatewayPlugin } from '@graphql-hive/gateway-runtime'
import type { ExecutionResult } from 'graphql'
import { Problem } from '../../schema/errors.ts'
import type { Call } from '../../subgraphs/runtime/call.ts'
import { presented } from '../../subgraphs/runtime/present-error.ts'
import { callOf, type GraphContext } from './reach-subgraphs.ts'

/** Says when the credential of a call stands no longer. */
export interface CredentialWatch {
  /**
   * Calls `onEnd`, once, within a second after the credential was revoked, disabled or has expired. Returns how to stop
   * watching.
   */
  watch(credential: Credential, onEnd: (problem: Problem) => void): () => void
}

/** What a call was authenticated with. */
export interface Credential {
  /** Every `Authorization` header. */
  authorization: readonly string[]
  /** Where the call comes from: a key may be limited to addresses. */
  address: string
}

type Step = IteratorResult<ExecutionResult>

/**
 * Ends a subscription once its credential does, with an error that says why, and limits how many an account has open in
 * this process. (docs/behaviour.md, Watching tasks)
 */
export function boundSubscriptions(
  credentials: CredentialWatch,
  { mostOfAccount }: { mostOfAccount: number },
): GatewayPlugin<GraphContext> {
  const open = new Map<string, number>()
  const count = (accountId: string, by: number) => {
    const left = (open.get(accountId) ?? 0) + by
    if (left > 0) open.set(accountId, left)
    else open.delete(accountId)
  }
  return {
    onSubscribe({ args, extendContext }) {
      extendContext({ isSubscription: true })
      const call = callOf(args.contextValue)
      const { authorization = [] } = args.contextValue
      return {
        onSubscribeResult({ result, setResult }) {
          if (!isStream(result)) return
          const accountId = accountOf(call)
          const source = result[Symbol.asyncIterator]()
          if ((open.get(accountId) ?? 0) >= mostOfAccount) {
            void source.return?.()
            setResult({ errors: [presented(tooMany(mostOfAccount))] })
            return
          }
          count(accountId, 1)
          const subscription = new Subscription(source, () => {
            stopWatching()
            count(accountId, -1)
          })
          const stopWatching = credentials.watch({ authorization, address: call.address }, problem =>
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

/** Each operator counts as an account. */
function accountOf({ caller, operator }: Call): string {
  return caller?.accountId ?? `operator ${operator?.name}`
}

function tooMany(most: number): Problem {
  const message = `An account may have ${most} subscriptions open: end one of them.`
  return new Problem('rate_limit_exceeded', { message, retryAfterSeconds: 1 })
}

/** Passes events on until its source ends, its reader leaves, or it is ended with a last result. */
class Subscription implements AsyncIterableIterator<ExecutionResult> {
  readonly #source: AsyncIterator<ExecutionResult>
  readonly #onClose: () => void
  #waiting: ((step: Step) => void) | undefined
  #last: ExecutionResult | undefined
  #isOver = false

  /** `onClose` is called once. */
  constructor(source: AsyncIterator<ExecutionResult>, onClose: () => void) {
    this.#source = source
    this.#onClose = onClose
  }

  /** The reader gets this, and then the end. */
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
