import type { ServerResponse } from 'node:http'
import { sendBytes, untilSent } from '../../platform/http/send-file.ts'

/** Thrown if the client disconnected or stopped reading its stream. */
export class ClientGone extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'ClientGone'
  }
}

const headers = Object.entries({
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
})

export interface StreamOptions {
  /** Time after which a client that reads nothing is disconnected, in milliseconds. */
  stalledReaderMs: number
  /** Interval of silence after which `keepAlive` is sent, in milliseconds. */
  keepAliveMs: number
  /** Returns the frames to send after silence. */
  keepAlive(): string
  /** Whether the answer is needed after its client has disconnected. Writes are then discarded and never fail. */
  outlivesClient?: boolean
  /** Called with the number of bytes that the client has not read when the stream ends, if there are any. */
  onUnread?(bytes: number): void
}

/** Length above which last frames are sent in parts, to detect that a client has stopped reading, in bytes. */
const longBytes = 65_536

/** A stream of server-sent events to a client, with back-pressure. The first frames open it. */
export class ClientStream {
  readonly #response: ServerResponse
  readonly #options: StreamOptions
  #keepingAlive: NodeJS.Timeout | undefined
  #isOpen = false

  constructor(response: ServerResponse, options: StreamOptions) {
    this.#response = response
    this.#options = options
  }

  /** Whether status and headers are set, which are sent with the first frames. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Starts to send keep-alives after silence. */
  keepAlive(): void {
    const response = this.#response
    const { keepAliveMs, keepAlive } = this.#options
    const timer = setInterval(() => {
      if (!response.writableNeedDrain) this.send(keepAlive())
    }, keepAliveMs)
    this.#keepingAlive = timer
    response.once('close', () => clearInterval(timer))
  }

  /** Resolves when the client can accept more, to whether it could without a wait. Throws ClientGone. */
  async write(frames: string): Promise<boolean> {
    const response = this.#response
    const { outlivesClient, stalledReaderMs } = this.#options
    if (response.destroyed && outlivesClient) return true
    if (response.destroyed) throw new ClientGone('the client disconnected')
    if (frames === '') return true
    this.#open()
    this.#keepingAlive?.refresh()
    if (response.write(Buffer.from(frames))) return true
    await drained(response, stalledReaderMs).catch(gone => {
      if (!outlivesClient) throw gone
    })
    return false
  }

  /** Writes without waiting. */
  send(frames: string): void {
    const response = this.#response
    if (response.destroyed || response.writableEnded) return
    this.#open()
    response.write(frames)
  }

  /**
   * Writes the last frames and closes the stream. Resolves when the client has read them, or is disconnected because it
   * reads too slowly. Returns undefined if there is nothing to wait for.
   */
  end(frames: string): Promise<unknown> | undefined {
    clearInterval(this.#keepingAlive)
    this.#open()
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

  #open(): void {
    if (this.#isOpen) return
    this.#isOpen = true
    const response = this.#response
    response.statusCode = 200
    for (const [name, value] of headers) response.setHeader(name, value)
  }
}

/** Waits until the client continues to read. Throws ClientGone if it disconnects, or reads nothing for too long. */
function drained(response: ServerResponse, stalledReaderMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const over = (outcome: () => void) => {
      clearTimeout(timer)
      response.off('drain', onDrain)
      response.off('close', onClose)
      outcome()
    }
    const onDrain = () => over(resolve)
    const onClose = () => over(() => reject(new ClientGone('the client disconnected')))
    const timer = setTimeout(() => {
      over(() => reject(new ClientGone('the client stopped reading')))
      response.destroy()
    }, stalledReaderMs)
    response.once('drain', onDrain)
    response.once('close', onClose)
  })
}
