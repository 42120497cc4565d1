import type { ServerResponse } from 'node:http'
import { sendBytes, untilSent } from '../../platform/http/send-file.ts'

/** The client left, or left its stream unread for too long. */
export class ClientGone extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'ClientGone'
  }
}

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
}

export interface StreamOptions {
  /** A client that reads nothing for so long is cut. */
  stalledReaderMs: number
  /** After so long in silence `keepAlive` is sent. */
  keepAliveMs: number
  keepAlive(): string
  /** The answer is wanted even when this client has left: writes then go nowhere, and never fail. */
  stays?: boolean
  /** Gets the number of bytes that wait for the client when the stream ends, if any do. */
  onUnread?(bytes: number): void
}

/** Last frames beyond this length are sent in parts, so that a slow client is told from one that reads nothing, in bytes. */
const longBytes = 65_536

/** A stream of server-sent events to a client, with backpressure. Nothing is sent before `open`. */
export class ClientStream {
  readonly #response: ServerResponse
  readonly #options: StreamOptions
  #keepingAlive: NodeJS.Timeout | undefined

  constructor(response: ServerResponse, options: StreamOptions) {
    this.#response = response
    this.#options = options
  }

  get isOpen(): boolean {
    return this.#keepingAlive !== undefined
  }

  /** Sets status and headers; they go out with the first frames. From then on silence is kept alive. */
  open(): void {
    const response = this.#response
    const { keepAliveMs, keepAlive } = this.#options
    response.statusCode = 200
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    response.socket?.setNoDelay(true)
    const timer = setInterval(() => {
      if (!response.writableNeedDrain && !response.destroyed) response.write(keepAlive())
    }, keepAliveMs)
    this.#keepingAlive = timer
    response.once('close', () => clearInterval(timer))
  }

  /** Resolves when the client can take more, to whether it could at once. Throws ClientGone. */
  async write(frames: string): Promise<boolean> {
    const response = this.#response
    const { stays, stalledReaderMs } = this.#options
    if (response.destroyed && stays) return true
    if (response.destroyed) throw new ClientGone('the client left')
    if (frames === '') return true
    this.#keepingAlive?.refresh()
    if (response.write(Buffer.from(frames))) return true
    await drained(response, stalledReaderMs).catch(gone => {
      if (!stays) throw gone
    })
    return false
  }

  /** Writes without waiting. */
  send(frames: string): void {
    if (!this.#response.destroyed) this.#response.write(frames)
  }

  /**
   * Writes the last frames and closes. Resolves when the client has read on, or is cut because it reads too slowly.
   * Undefined if nothing waits for the client.
   */
  end(frames: string): Promise<unknown> | undefined {
    clearInterval(this.#keepingAlive)
    const response = this.#response
    const { stalledReaderMs: stalledMs, onUnread } = this.#options
    const last = Buffer.from(frames)
    const isLong = last.length > longBytes
    if (!isLong) response.end(last)
    const bytes = isLong ? last.length : response.writableLength
    if (bytes === 0 || response.destroyed) return undefined
    onUnread?.(bytes)
    return isLong ? sendBytes(response, last, { stalledMs }) : untilSent(response, { bytes, stalledMs })
  }
}

/** Waits until the client has read on; a client that leaves, or reads nothing for too long, ends the wait. */
function drained(response: ServerResponse, stalledReaderMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const over = (outcome: () => void) => {
      clearTimeout(timer)
      response.off('drain', onDrain)
      response.off('close', onClose)
      outcome()
    }
    const onDrain = () => over(resolve)
    const onClose = () => over(() => reject(new ClientGone('the client left')))
    const timer = setTimeout(() => {
      over(() => reject(new ClientGone('the client stopped reading')))
      response.destroy()
    }, stalledReaderMs)
    response.once('drain', onDrain)
    response.once('close', onClose)
  })
}
