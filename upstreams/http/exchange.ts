import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { UpstreamFailure } from '../upstream-failure.ts'
import { ByteQueue } from './byte-queue.ts'
import type { Line } from './line.ts'

/** A request in a vendor's own wire format. */
export interface UpstreamRequest {
  origin: string
  path: string
  headers: Record<string, string>
  body: string
}

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
}

/**
 * Sends one request and resolves when the vendor's answer begins; the body is read from `bytes`. The timers and
 * the line hold for the whole exchange: when the client leaves, the vendor's connection ends with it.
 * Throws UpstreamFailure (`timeout`, `broken`, `aborted`).
 */
export function exchange(
  dispatcher: Dispatcher,
  request: UpstreamRequest,
  { timeouts, line }: { timeouts: Timeouts; line: Line },
): Promise<UpstreamAnswer> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined
    let bytes: ByteQueue | undefined
    let over = false

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
      line.onCut(undefined)
    }

    if (line.isCut) return leave()
    line.onCut(leave)
    dispatcher.dispatch(
      { method: 'POST', ...request },
      {
        onRequestStart(started) {
          controller = started
          if (over) started.abort(new Error('over'))
        },
        onResponseStart(started, status, headers) {
          if (status < 200 || over) return
          clearTimeout(pause)
          pause = setTimeout(idle, timeouts.idleMs)
          bytes = new ByteQueue({
            pause: () => started.pause(),
            resume() {
              pause.refresh()
              started.resume()
            },
          })
          resolve({ status, headers, bytes })
        },
        onResponseData(_, chunk) {
          pause.refresh()
          bytes?.push(chunk)
        },
        onResponseEnd() {
          if (over) return
          finish()
          bytes?.end()
        },
        onResponseError(_, error) {
          fail(new UpstreamFailure('broken', { message: error.message, cause: error }))
        },
      },
    )
  })
}
