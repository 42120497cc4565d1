import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { partBytes, partsByTurns, takeTurn } from '../../platform/byte-turns.ts'
import type { HttpRequest } from '../chat-adapter.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import { answerTooLong, ByteQueue, type Flow } from './byte-queue.ts'
import type { Cancellation } from './cancellation.ts'
import { AddressRefused } from './guard-address.ts'

/** The time limits of a call, in milliseconds: until the answer begins, between two reads, and in total. */
export interface Timeouts {
  firstByteMs: number
  idleMs: number
  totalMs: number
}

export interface UpstreamAnswer {
  status: number
  headers: IncomingHttpHeaders
  /** The body as it arrives, with backpressure. Fails with UpstreamFailure. */
  bytes: ByteQueue
  /**
   * Stops the timers and discards the rest of the answer. The connection can be reused if the vendor ends its answer
   * within `lingerMs`; otherwise it is closed.
   */
  discardRest(lingerMs: number): void
}

/** Size up to which a body is sent in one piece, in bytes. */
const longBytes = 4 * partBytes

/** Maximum number of interim responses (1xx) to one request. Each costs CPU, and none of them counts as an answer. */
const maxInterimResponses = 16

/** The connection is also closed if the vendor sends more than this after `discardRest`. */
const maxLingerBytes = 65_536

interface ExchangeOptions {
  timeouts: Timeouts
  cancellation: Cancellation
  /**
   * Called when the connection is ready, right before the request is sent. If it returns false, the request is not
   * sent.
   */
  mayStart?: (() => boolean) | undefined
  /** A longer answer fails as `broken`, and its rest is not read. */
  limitBytes?: number | undefined
}

/** `mayStart` returned false when the connection was ready. Nothing was sent, and the connection stays open. */
export class StartedTooLate extends Error {}

/**
 * Sends one request and resolves when the headers of the answer have arrived; its body is read from `bytes`. The timers
 * and the cancellation cover the whole exchange: when the client disconnects, the vendor's connection is closed too.
 * Throws UpstreamFailure (`timeout`, `broken`, `aborted`), and StartedTooLate if `mayStart` returns false.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: HttpRequest,
  options: ExchangeOptions,
): Promise<UpstreamAnswer> {
  return new Promise((resolve, reject) => {
    const exchanging = new Exchange(options, { resolve, reject })
    if (!exchanging.isOver) dispatcher.dispatch({ method: 'POST', ...sendByTurns(request) }, exchanging)
  })
}

/** Returns a long body in parts, each in its turn of the event loop. */
function sendByTurns(request: HttpRequest): HttpRequest | (Omit<HttpRequest, 'body'> & { body: Readable }) {
  const { body, headers } = request
  if (!Buffer.isBuffer(body) || body.length <= longBytes) return request
  const length = { 'content-length': String(body.length) }
  return { ...request, headers: { ...headers, ...length }, body: Readable.from(partsByTurns(body)) }
}

interface Outcome {
  resolve(answer: UpstreamAnswer): void
  reject(error: Error): void
}

/** One request in progress: undici's handler, the timers, and the flow of arriving bytes. */
class Exchange implements Dispatcher.DispatchHandler, Flow {
  isOver = false
  readonly #outcome: Outcome
  readonly #mayStart: ExchangeOptions['mayStart']
  readonly #limitBytes: number
  readonly #idleMs: number
  readonly #totalMs: number
  readonly #cancellation: Cancellation
  readonly #totalTimer: NodeJS.Timeout
  /** The timer until the first byte, and then between reads. Undefined if the total time is not longer. */
  #silenceTimer: NodeJS.Timeout | undefined
  #controller: Dispatcher.DispatchController | undefined
  #bytes: ByteQueue | undefined
  #lingering: NodeJS.Timeout | undefined
  #lingeredBytes = 0
  #interimResponses = 0

  constructor({ timeouts, cancellation, mayStart, limitBytes }: ExchangeOptions, outcome: Outcome) {
    const { firstByteMs, idleMs, totalMs } = timeouts
    this.#outcome = outcome
    this.#mayStart = mayStart
    this.#limitBytes = limitBytes ?? Number.POSITIVE_INFINITY
    this.#idleMs = idleMs
    this.#totalMs = totalMs
    this.#cancellation = cancellation
    this.#listenFor(firstByteMs)
    this.#totalTimer = setTimeout(() => this.#timeOut(this.#bytes ? 'end' : 'first byte'), totalMs)
    if (cancellation.isCancelled) this.stop()
    else cancellation.onCancel(() => this.stop())
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.isOver) controller.abort(new Error('over'))
    // Thrown, not aborted: an abort would close the connection, which the next start uses.
    else if (this.#mayStart && !this.#mayStart()) throw new StartedTooLate()
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (this.isOver) return
    if (status < 200) {
      this.#interimResponses += 1
      if (this.#interimResponses > maxInterimResponses)
        this.#fail(
          new UpstreamFailure('broken', { message: 'the vendor sends interim responses without an end' }),
        )
      return
    }
    if (status < 300 && Number(headers['content-length']) > this.#limitBytes) {
      this.#fail(answerTooLong())
      return
    }
    this.#listenFor(this.#idleMs)
    this.#bytes = new ByteQueue(this, this.#limitBytes)
    const discardRest = (lingerMs: number) => this.#discardRest(lingerMs)
    this.#outcome.resolve({ status, headers, bytes: this.#bytes, discardRest })
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.isOver) {
      this.#lingeredBytes += chunk.length
      if (this.#lingeredBytes > maxLingerBytes) this.#disconnect()
      return
    }
    this.#silenceTimer?.refresh()
    this.#bytes?.push(chunk)
  }

  onResponseEnd(): void {
    clearTimeout(this.#lingering)
    if (this.isOver) return
    this.#finish()
    this.#bytes?.end()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#lingering)
    if (error instanceof StartedTooLate) {
      if (!this.isOver) this.#finish()
      this.#outcome.reject(error)
    } else if (error instanceof UpstreamFailure) this.#fail(error)
    else this.#fail(new UpstreamFailure('broken', { message: explainError(error), cause: error }))
  }

  pause(): void {
    this.#controller?.pause()
  }

  resume(): void {
    this.#silenceTimer?.refresh()
    const resume = () => this.#controller?.resume()
    if (takeTurn(partBytes, resume)) resume()
  }

  /** The answer is no longer needed. */
  stop(): void {
    if (!this.isOver) this.#fail(new UpstreamFailure('aborted'))
  }

  /** Sets the maximum silence of the vendor from now on. */
  #listenFor(silenceMs: number): void {
    clearTimeout(this.#silenceTimer)
    const isSooner = silenceMs < this.#totalMs
    this.#silenceTimer = isSooner ? setTimeout(() => this.#endSilence(), silenceMs) : undefined
  }

  /**
   * The vendor sent nothing within its time limit. It is not to blame while the connection is paused because the client
   * reads slowly.
   */
  #endSilence(): void {
    if (!this.#bytes) this.#timeOut('first byte')
    else if (this.#bytes.isPaused) this.#silenceTimer?.refresh()
    else this.#timeOut('further byte')
  }

  #timeOut(what: 'first byte' | 'further byte' | 'end'): void {
    this.#fail(new UpstreamFailure('timeout', { message: `no ${what} in time` }))
  }

  #fail(failure: UpstreamFailure): void {
    if (this.isOver) return
    this.#finish()
    if (this.#bytes) this.#bytes.fail(failure)
    else this.#outcome.reject(failure)
    this.#controller?.abort(failure)
  }

  #finish(): void {
    this.isOver = true
    clearTimeout(this.#silenceTimer)
    clearTimeout(this.#totalTimer)
    this.#cancellation.onCancel(undefined)
  }

  #discardRest(lingerMs: number): void {
    if (this.isOver) return
    this.#finish()
    if (lingerMs <= 0) this.#disconnect()
    else {
      this.#lingering = setTimeout(() => this.#disconnect(), lingerMs)
      if (this.#bytes?.isPaused) this.#controller?.resume()
    }
  }

  #disconnect(): void {
    clearTimeout(this.#lingering)
    this.#controller?.abort(new Error('enough was read'))
  }
}

/** The message for each error code. */
const messages: Readonly<Record<string, (who: string) => string>> = {
  ENOTFOUND: who => `the name of the ${who} has no address`,
  EAI_AGAIN: who => `the name of the ${who} cannot be looked up now`,
  ECONNREFUSED: who => `the ${who} refused the connection`,
  EHOSTUNREACH: who => `the ${who} cannot be reached`,
  ENETUNREACH: who => `the ${who} cannot be reached`,
  ETIMEDOUT: who => `no connection to the ${who} in time`,
  UND_ERR_CONNECT_TIMEOUT: who => `no connection to the ${who} in time`,
  ECONNRESET: who => `the ${who} broke the connection off`,
  EPIPE: who => `the ${who} broke the connection off`,
  UND_ERR_SOCKET: who => `the ${who} broke the connection off`,
}

/**
 * Returns why a vendor, or a receiver of callbacks, could not be reached. The message contains no address, so that a
 * customer cannot learn what a name resolves to or what answers there. The error itself is logged.
 */
export function explainError(error: Error, who: 'vendor' | 'receiver' = 'vendor'): string {
  if (error instanceof AddressRefused) return error.message
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const known = Object.hasOwn(messages, code) ? messages[code] : undefined
  if (known) return known(who)
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)) return `the ${who}'s certificate is not valid (${code})`
  if (error.name === 'HTTPParserError') return `the ${who}'s answer is no HTTP`
  if (/^HPE_|^UND_ERR_HEADERS|^UND_ERR_RES/.test(code)) return `the ${who}'s answer is no HTTP (${code})`
  return /^[A-Z0-9_]+$/.test(code)
    ? `the connection to the ${who} failed (${code})`
    : `the connection to the ${who} failed`
}
