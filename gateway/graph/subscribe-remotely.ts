import { setTimeout as sleep } from 'node:timers/promises'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { type ExecutionResult, type FormattedExecutionResult, GraphQLError } from 'graphql'
import { Agent, request } from 'undici'
import { Problem } from '../../schema/errors.ts'
import { presented } from '../../subgraphs/runtime/present-error.ts'

/** A subscription to open at a subgraph over HTTP. */
export interface RemoteSubscription {
  /** The subgraph's name. */
  subgraph: string
  url: string
  body: string
  /** Returns new headers that sign the body. A signature is valid for one request. */
  sign(): Record<string, string>
}

/**
 * Timeouts for the start of a subgraph's response and for silence within it, in milliseconds. A subgraph sends a
 * heartbeat every 12 seconds.
 */
const headersTimeoutMs = 15_000
const silenceTimeoutMs = 30_000

/** Interval and maximum duration of reconnection attempts, in milliseconds. */
const reconnectIntervalMs = 250
const maxReconnectMs = 60_000

const connections = new Agent({ headersTimeout: headersTimeoutMs, bodyTimeout: silenceTimeoutMs })

type Step = IteratorResult<ExecutionResult>

/**
 * Subscribes at a subgraph over HTTP with server-sent events. If the connection breaks, it subscribes again, after the
 * last event ID (`Last-Event-ID`). A subscription without event IDs starts with the current state. Therefore no event
 * is lost, and an event that the client already has is not repeated. Returns a single result if the subgraph refuses or
 * cannot be reached.
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

/** Parses a result. Errors become GraphQL errors, because the runtime hides other errors. */
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

/**
 * The events of a subscription at a subgraph. It is not an async generator, because a generator that waits in `await`
 * ignores `return()`.
 */
class RemoteEvents implements AsyncIterableIterator<ExecutionResult> {
  readonly #subscription: RemoteSubscription
  readonly #disconnected = new AbortController()
  #parts: AsyncIterator<Buffer> | undefined
  #unread: string[] = []
  #isComplete = false
  /** The last result that the client received. */
  #last: string | undefined
  #lastId: string | undefined
  /** Whether the next result is the current state after a reconnect. */
  #isResumed = false
  #decode: (part: Buffer) => void = () => {}

  constructor(subscription: RemoteSubscription) {
    this.#subscription = subscription
  }

  /** Connects. Resolves to the result if the response is not a stream. Throws if there is no response. */
  async open(): Promise<ExecutionResult | undefined> {
    const { url, body, sign } = this.#subscription
    const resumed = this.#lastId !== undefined && { 'last-event-id': this.#lastId }
    const headers = { 'content-type': 'application/json', accept: 'text/event-stream', ...resumed, ...sign() }
    const { signal } = this.#disconnected
    const answer = await request(url, { method: 'POST', headers, body, dispatcher: connections, signal })
    if (answer.statusCode !== 200) {
      await answer.body.dump()
      throw new Error(`the subgraph answered ${answer.statusCode}`)
    }
    const isStream = String(answer.headers['content-type']).startsWith('text/event-stream')
    if (!isStream) return readResult(await answer.body.text())
    const decoder = new TextDecoder()
    const parser = createParser({ onEvent: event => this.#accept(event) })
    this.#decode = part => parser.feed(decoder.decode(part, { stream: true }))
    this.#parts = answer.body[Symbol.asyncIterator]()
    return undefined
  }

  #accept({ event, id, data }: EventSourceMessage): void {
    if (event === 'complete') this.#isComplete = true
    if (event === 'next') this.#unread.push(data)
    this.#lastId = id ?? this.#lastId
  }

  async next(): Promise<Step> {
    for (;;) {
      const data = this.#takeUnread()
      if (data !== undefined) return { done: false, value: readResult(data) }
      if (this.#isComplete || this.#disconnected.signal.aborted) return { done: true, value: undefined }
      if ((await this.#read()) || (await this.#reconnect())) continue
      this.#isComplete = true
      if (!this.#disconnected.signal.aborted) return { done: false, value: unavailable(this.#subscription) }
    }
  }

  /** Removes and returns the next result. Skips the first one after a reconnect if the client already has it. */
  #takeUnread(): string | undefined {
    const data = this.#unread.shift()
    if (data === undefined) return undefined
    const isRepeated = this.#isResumed && data === this.#last
    this.#isResumed = false
    this.#last = data
    return isRepeated ? this.#takeUnread() : data
  }

  /** Reads and decodes the next part. Returns false if the connection has broken. */
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

  /** Reconnects. Returns false if that fails within `maxReconnectMs`, or if the client has disconnected. */
  async #reconnect(): Promise<boolean> {
    const until = performance.now() + maxReconnectMs
    const { signal } = this.#disconnected
    this.#isResumed = true
    while (!signal.aborted && performance.now() < until) {
      const answer = await this.open().catch(() => 'unavailable' as const)
      if (answer === undefined) return true
      if (answer !== 'unavailable') return this.#endWith(answer)
      await sleep(reconnectIntervalMs * (0.5 + Math.random()), undefined, { signal }).catch(() => {})
    }
    return false
  }

  /** Ends with a result, after the subgraph has refused to resume the subscription. */
  #endWith(answer: ExecutionResult): true {
    this.#unread.push(JSON.stringify(answer))
    this.#isComplete = true
    return true
  }

  async return(): Promise<Step> {
    this.#unread = []
    this.#disconnected.abort()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
