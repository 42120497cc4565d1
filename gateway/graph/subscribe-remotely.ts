import { setTimeout as sleep } from 'node:timers/promises'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { type ExecutionResult, type FormattedExecutionResult, GraphQLError } from 'graphql'
import { Agent, request } from 'undici'
import { Problem } from '../../schema/errors.ts'
import { presented } from '../../subgraphs/runtime/present-error.ts'

/** A subscription that a subgraph over HTTP is asked for. */
export interface RemoteSubscription {
  /** The subgraph's name. */
  subgraph: string
  url: string
  body: string
  /** Headers that sign the body anew: a signature is good for one request. */
  sign(): Record<string, string>
}

/** How long a subgraph may take to begin its answer, and be silent in it: it says every ten seconds that it lives. */
const headersTimeoutMs = 15_000
const silenceMs = 30_000

/** A subgraph that went away is asked again so often, and for so long. */
const retryEveryMs = 250
const patienceMs = 60_000

const connections = new Agent({ headersTimeout: headersTimeoutMs, bodyTimeout: silenceMs })

type Step = IteratorResult<ExecutionResult>

/**
 * Subscribes at a subgraph over HTTP, by server-sent events. Where the connection breaks off it subscribes again, after
 * the event with the last id (`Last-Event-ID`); without ids a subscription of ours begins with the present state. So
 * nothing is missed, and what its reader had last is not repeated. Answers one result where there is no stream: the subgraph refused, or cannot be reached.
 */
export async function subscribeRemotely(
  subscription: RemoteSubscription,
): Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult> {
  const events = new RemoteEvents(subscription)
  try {
    return (await events.open()) ?? events
  } catch (cause) {
    return unavailable(subscription, cause)
  }
}

function unavailable({ subgraph }: RemoteSubscription, cause?: unknown): ExecutionResult {
  const internal = `${subgraph} is not reachable`
  return { errors: [presented(new Problem('unavailable', { cause, internal, retryAfterSeconds: 1 }))] }
}

/** Errors are those of GraphQL again: the runtime hides others. */
function readResult(text: string): ExecutionResult {
  const { errors, ...rest }: FormattedExecutionResult = JSON.parse(text)
  if (!errors) return rest
  return {
    ...rest,
    errors: errors.map(
      ({ message, path, extensions }) =>
        new GraphQLError(message, { path: path ?? null, extensions: extensions ?? null }),
    ),
  }
}

/** Not an async generator: parked in `await`, that would ignore `return()`. */
class RemoteEvents implements AsyncIterableIterator<ExecutionResult> {
  readonly #subscription: RemoteSubscription
  readonly #leaving = new AbortController()
  #parts: AsyncIterator<Buffer> | undefined
  #unread: string[] = []
  #isComplete = false
  /** What its reader had last. */
  #last: string | undefined
  #lastId: string | undefined
  /** The next result is the present state again. */
  #isAgain = false
  #decode: (part: Buffer) => void = () => {}

  constructor(subscription: RemoteSubscription) {
    this.#subscription = subscription
  }

  /** Connects. Resolves to the answer where that is no stream. Throws where there is none. */
  async open(): Promise<ExecutionResult | undefined> {
    const { url, body, sign } = this.#subscription
    const resumed = this.#lastId !== undefined && { 'last-event-id': this.#lastId }
    const headers = { 'content-type': 'application/json', accept: 'text/event-stream', ...resumed, ...sign() }
    const { signal } = this.#leaving
    const answer = await request(url, { method: 'POST', headers, body, dispatcher: connections, signal })
    if (answer.statusCode !== 200) {
      await answer.body.dump()
      throw new Error(`the subgraph answered ${answer.statusCode}`)
    }
    const isStream = String(answer.headers['content-type']).startsWith('text/event-stream')
    if (!isStream) return readResult(await answer.body.text())
    const decoder = new TextDecoder()
    const parser = createParser({ onEvent: event => this.#take(event) })
    this.#decode = part => parser.feed(decoder.decode(part, { stream: true }))
    this.#parts = answer.body[Symbol.asyncIterator]()
    return undefined
  }

  #take({ event, id, data }: EventSourceMessage): void {
    if (event === 'complete') this.#isComplete = true
    if (event === 'next') this.#unread.push(data)
    this.#lastId = id ?? this.#lastId
  }

  async next(): Promise<Step> {
    for (;;) {
      const data = this.#unread.shift()
      if (data !== undefined) {
        const isRepeated = this.#isAgain && data === this.#last
        this.#isAgain = false
        this.#last = data
        if (!isRepeated) return { done: false, value: readResult(data) }
      } else if (this.#isComplete || this.#leaving.signal.aborted) {
        return { done: true, value: undefined }
      } else if (!(await this.#read()) && !(await this.#openAgain())) {
        this.#isComplete = true
        if (!this.#leaving.signal.aborted) return { done: false, value: unavailable(this.#subscription) }
      }
    }
  }

  /** Takes in what arrives next. False where the connection has broken off. */
  async #read(): Promise<boolean> {
    try {
      const part = await this.#parts?.next()
      if (!part || part.done) return this.#isComplete
      this.#decode(part.value)
      return true
    } catch {
      return false
    }
  }

  /** False where it cannot be had again, or the reader has left. */
  async #openAgain(): Promise<boolean> {
    const until = performance.now() + patienceMs
    const { signal } = this.#leaving
    this.#isAgain = true
    while (!signal.aborted && performance.now() < until) {
      const answer = await this.open().catch(() => 'not yet' as const)
      if (answer === undefined) return true
      if (answer !== 'not yet') return this.#endWith(answer)
      await sleep(retryEveryMs * (0.5 + Math.random()), undefined, { signal }).catch(() => {})
    }
    return false
  }

  /** What was allowed before is refused now: its reader is told so, and nothing more. */
  #endWith(answer: ExecutionResult): true {
    this.#unread.push(JSON.stringify(answer))
    this.#isComplete = true
    return true
  }

  async return(): Promise<Step> {
    this.#unread = []
    this.#leaving.abort()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
