import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import type { UpstreamRequest } from '../chat-adapter.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import { ByteQueue, tooLong } from './byte-queue.ts'
import type { Cancellation } from './cancellation.ts'
import { AddressRefused } from './guard-address.ts'

/** Milliseconds that a vendor may take: to begin, between two reads, in all. */
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
   * Tells that enough was read: no timer holds any more, and what still comes is dropped. A vendor that does not end
   * by itself within so many milliseconds is hung up on; one that does keeps its connection.
   */
  leave(lingerMs: number): void
}

/** Nor does a vendor keep its connection that sends more than this after enough was read. */
const lingerBytes = 65_536

interface ExchangeOptions {
  timeouts: Timeouts
  cancellation: Cancellation
  /** Asked when the connection is ready and the request's bytes are about to leave on it. */
  mayStart?: (() => boolean) | undefined
  /** Of a longer answer the rest is not read; it fails as `broken`. */
  limitBytes?: number | undefined
}

/** The connection was not ready before what allowed the call had run out. Nothing was sent; the connection stays. */
export class StartedTooLate extends Error {}

/**
 * Sends one request and resolves when the vendor's answer begins; the body is read from `bytes`. The timers and
 * the cancellation hold for the whole exchange: when the client leaves, the vendor's connection ends with it.
 * Throws UpstreamFailure (`timeout`, `broken`, `aborted`), and StartedTooLate where `mayStart` says no.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: UpstreamRequest,
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
    const late = (what: string) => fail(new UpstreamFailure('timeout', { message: `no ${what} in time` }))
    const leave = () => {
      if (!over) fail(new UpstreamFailure('aborted'))
    }
    /** Silence of a vendor that we hold back, for a client that reads slowly, is not the vendor's. */
    const idle = () => {
      if (bytes?.isHeldBack) pause.refresh()
      else late('further byte')
    }
    let pause = setTimeout(late, timeouts.firstByteMs, 'first byte')
    const total = setTimeout(late, timeouts.totalMs, 'end')
    const finish = () => {
      over = true
      clearTimeout(pause)
      clearTimeout(total)
      cancellation.onCancel(undefined)
    }

    const hangUp = () => {
      clearTimeout(lingering)
      controller?.abort(new Error('enough was read'))
    }
    const linger = (lingerMs: number) => {
      if (over) return
      finish()
      if (lingerMs <= 0) return hangUp()
      lingering = setTimeout(hangUp, lingerMs)
      if (bytes?.isHeldBack) controller?.resume()
    }

    if (cancellation.isCancelled) return leave()
    cancellation.onCancel(leave)
    dispatcher.dispatch(
      { method: 'POST', ...request },
      {
        onRequestStart(started) {
          controller = started
          if (over) return started.abort(new Error('over'))
          // Thrown, not aborted: an abort would take the connection down, and the next try is to have it.
          if (mayStart && !mayStart()) throw new StartedTooLate()
        },
        onResponseStart(started, status, headers) {
          if (status < 200 || over) return
          if (status === 200 && Number(headers['content-length']) > limitBytes) return fail(tooLong())
          clearTimeout(pause)
          pause = setTimeout(idle, timeouts.idleMs)
          const flow = {
            pause: () => started.pause(),
            resume() {
              pause.refresh()
              started.resume()
            },
            stop: () => fail(new UpstreamFailure('aborted')),
          }
          bytes = new ByteQueue(flow, limitBytes)
          resolve({ status, headers, bytes, leave: linger })
        },
        onResponseData(_, chunk) {
          if (over) {
            lingeredBytes += chunk.length
            if (lingeredBytes > lingerBytes) hangUp()
            return
          }
          pause.refresh()
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

/** What is said of a connection's errors, by their codes. */
const explained: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name of the vendor has no address',
  EAI_AGAIN: 'the name of the vendor cannot be looked up now',
  ECONNREFUSED: 'the vendor refused the connection',
  EHOSTUNREACH: 'the vendor cannot be reached',
  ENETUNREACH: 'the vendor cannot be reached',
  ETIMEDOUT: 'no connection to the vendor in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection to the vendor in time',
  ECONNRESET: 'the vendor broke the connection off',
  EPIPE: 'the vendor broke the connection off',
  UND_ERR_SOCKET: 'the vendor broke the connection off',
}

/**
 * Why nothing was heard of a vendor, in words that name no address: what a customer's name resolves to, and what is
 * found there, is nothing to tell. The error itself goes to the log.
 */
export function explainError(error: Error): string {
  if (error instanceof AddressRefused) return error.message
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const known = explained[code]
  if (known) return known
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)) return `the vendor's certificate is not valid (${code})`
  if (/^HPE_|^UND_ERR_HEADERS|^UND_ERR_RES/.test(code)) return `the vendor's answer is no HTTP (${code})`
  return /^[A-Z0-9_]+$/.test(code)
    ? `the connection to the vendor failed (${code})`
    : 'the connection to the vendor failed'
}
