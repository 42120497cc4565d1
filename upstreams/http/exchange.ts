import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import type { HttpRequest } from '../chat-adapter.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import { answerTooLong, ByteQueue } from './byte-queue.ts'
import type { Cancellation } from './cancellation.ts'
import { AddressRefused } from './guard-address.ts'

/** Milliseconds that a vendor may take: until its answer begins, between two reads, and in all. */
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
   * Stops the timers and drops what still arrives: enough was read. The connection can be reused if the
   * vendor ends its answer within `lingerMs`; otherwise it is closed.
   */
  discardRest(lingerMs: number): void
}

/** The connection is also closed if the vendor sends more than this after `discardRest`. */
const maxLingerBytes = 65_536

interface ExchangeOptions {
  timeouts: Timeouts
  cancellation: Cancellation
  /** Called when the connection is ready, right before the request is sent. False cancels the request. */
  mayStart?: (() => boolean) | undefined
  /** A longer answer fails as `broken`, and its rest is not read. */
  limitBytes?: number | undefined
}

/** `mayStart` said no when the connection was ready. Nothing was sent, and the connection stays open. */
export class StartedTooLate extends Error {}

/**
 * Sends one request and resolves when the headers of the answer have arrived; its body is read from `bytes`.
 * The timers and the cancellation cover the whole exchange: when the client disconnects, the vendor's
 * connection is closed too. Throws UpstreamFailure (`timeout`, `broken`, `aborted`), and StartedTooLate where
 * `mayStart` says no.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: HttpRequest,
  { timeouts, cancellation, mayStart, limitBytes = Number.POSITIVE_INFINITY }: ExchangeOptions,
): Promise<UpstreamAnswer> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined
    let bytes: ByteQueue | undefined
    let over = false
    let lingering: NodeJS.Timeout | undefined
    let lingeredBytes = 0

    const fail = (failure: UpstreamFailure) => {
      if (over) return
      finish()
      if (bytes) bytes.fail(failure)
      else reject(failure)
      controller?.abort(failure)
    }
    const timeOut = (what: string) => fail(new UpstreamFailure('timeout', { message: `no ${what} in time` }))
    const abort = () => {
      if (!over) fail(new UpstreamFailure('aborted'))
    }
    /**
     * A connection that we paused, because the client reads slowly, is silent through no fault of the vendor.
     */
    const onIdle = () => {
      if (bytes?.isPaused) idleTimer.refresh()
      else timeOut('further byte')
    }
    let idleTimer = setTimeout(timeOut, timeouts.firstByteMs, 'first byte')
    const totalTimer = setTimeout(timeOut, timeouts.totalMs, 'end')
    const finish = () => {
      over = true
      clearTimeout(idleTimer)
      clearTimeout(totalTimer)
      cancellation.onCancel(undefined)
    }

    const hangUp = () => {
      clearTimeout(lingering)
      controller?.abort(new Error('enough was read'))
    }
    const discardRest = (lingerMs: number) => {
      if (over) return
      finish()
      if (lingerMs <= 0) return hangUp()
      lingering = setTimeout(hangUp, lingerMs)
      if (bytes?.isPaused) controller?.resume()
    }

    if (cancellation.isCancelled) return abort()
    cancellation.onCancel(abort)
    dispatcher.dispatch(
      { method: 'POST', ...request },
      {
        onRequestStart(started) {
          controller = started
          if (over) return started.abort(new Error('over'))
          // Thrown, not aborted: an abort would close the connection, and the next start is to use it.
          if (mayStart && !mayStart()) throw new StartedTooLate()
        },
        onResponseStart(started, status, headers) {
          if (status < 200 || over) return
          if (status < 300 && Number(headers['content-length']) > limitBytes) return fail(answerTooLong())
          clearTimeout(idleTimer)
          idleTimer = setTimeout(onIdle, timeouts.idleMs)
          const flow = {
            pause: () => started.pause(),
            resume() {
              idleTimer.refresh()
              started.resume()
            },
            stop: () => fail(new UpstreamFailure('aborted')),
          }
          bytes = new ByteQueue(flow, limitBytes)
          resolve({ status, headers, bytes, discardRest })
        },
        onResponseData(_, chunk) {
          if (over) {
            lingeredBytes += chunk.length
            if (lingeredBytes > maxLingerBytes) hangUp()
            return
          }
          idleTimer.refresh()
          bytes?.push(chunk)
        },
        onResponseEnd() {
          clearTimeout(lingering)
          if (over) return
          finish()
          bytes?.end()
        },
        onResponseError(_, error) {
          clearTimeout(lingering)
          if (error instanceof StartedTooLate) {
            if (!over) finish()
            return reject(error)
          }
          fail(new UpstreamFailure('broken', { message: explainError(error), cause: error }))
        },
      },
    )
  })
}

/** What failed, by the code of the error, about whoever was called. */
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
 * Why a vendor, or a receiver of callbacks, could not be reached, in a message without any address: a customer must
 * not learn from it what a name resolves to or what answers there. The error itself goes to the log.
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
