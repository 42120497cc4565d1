import { setImmediate as nextTurn } from 'node:timers/promises'
import { UpstreamFailure } from '../upstream-failure.ts'

/** Bytes kept before the vendor's connection is paused. */
const highWaterBytes = 65_536

/** What keeping a chunk costs beside its bytes: a vendor that sends them one by one fills no more memory. */
const chunkOverheadBytes = 256

/** Bytes read at a time: what is left waits for the next turn of the event loop, so that others have theirs. */
const readBytes = 16_384

/** What the queue does with the connection that fills it. */
export interface Flow {
  pause(): void
  resume(): void
  /** Ends it: nothing more is read. */
  stop(): void
}

/** What arrived and was not read yet, with backpressure, for one reader. */
export class ByteQueue {
  readonly #flow: Flow
  readonly #limitBytes: number
  #chunks: Buffer[] = []
  /** Of what is kept, overhead included. */
  #size = 0
  /** Of all that ever came. */
  #arrivedBytes = 0
  #isCrowded = false
  #isHeldBack = false
  #ended = false
  #failure: UpstreamFailure | undefined
  #wake: (() => void) | undefined

  /** Of an answer longer than `limitBytes` the rest is not read: it fails as `broken`. */
  constructor(flow: Flow, limitBytes = Number.POSITIVE_INFINITY) {
    this.#flow = flow
    this.#limitBytes = limitBytes
  }

  push(chunk: Buffer): void {
    if (this.#failure) return
    this.#arrivedBytes += chunk.length
    if (this.#arrivedBytes > this.#limitBytes) {
      this.fail(tooLong())
      this.#flow.stop()
      return
    }
    this.#chunks.push(chunk)
    this.#size += chunk.length + chunkOverheadBytes
    if (this.#size > highWaterBytes && !this.#isHeldBack) {
      this.#isHeldBack = true
      this.#flow.pause()
    }
    this.#wake?.()
  }

  end(): void {
    this.#ended = true
    this.#wake?.()
  }

  /** The connection is paused until more was read. */
  get isHeldBack(): boolean {
    return this.#isHeldBack
  }

  /** Bytes kept, with what keeping them costs. */
  get keptBytes(): number {
    return this.#size
  }

  /** All came, and was read. */
  get isOver(): boolean {
    return this.#ended && this.#chunks.length === 0
  }

  /** What arrived before the failure is still read first. */
  fail(failure: UpstreamFailure): void {
    this.#failure ??= failure
    this.#wake?.()
  }

  /** Ends the vendor's connection: nobody reads on. */
  stop(): void {
    if (!this.#ended) this.#flow.stop()
  }

  /** What arrived since the last read, at most 16 KiB a turn; undefined at the end. Throws the failure, if it failed. */
  async read(): Promise<Buffer | undefined> {
    if (this.#isCrowded) await nextTurn()
    if (this.#chunks.length === 0 && !(await this.#hasMore())) return undefined
    return this.#take(readBytes)
  }

  /** The whole body. Throws `broken` when it is too long. */
  async readAll(): Promise<Buffer> {
    const parts: Buffer[] = []
    while (await this.#hasMore()) parts.push(this.#take(Number.POSITIVE_INFINITY))
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
  }

  /** The beginning of the body, at most about `mostBytes`; the rest is not read. Throws the failure, if it failed. */
  async readStart(mostBytes: number): Promise<Buffer> {
    const parts: Buffer[] = []
    let size = 0
    while (size < mostBytes && (await this.#hasMore())) {
      const part = this.#take(mostBytes - size)
      size += part.length
      parts.push(part)
    }
    if (!this.isOver) this.stop()
    return Buffer.concat(parts)
  }

  /** Waits until something is there to take. False at the end. */
  async #hasMore(): Promise<boolean> {
    while (this.#chunks.length === 0) {
      if (this.#failure) throw this.#failure
      if (this.#ended) return false
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
      this.#wake = undefined
    }
    return true
  }

  #take(mostBytes: number): Buffer {
    const kept = this.#size - this.#chunks.length * chunkOverheadBytes
    const [first] = this.#chunks
    const all = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks, kept)
    this.#isCrowded = all.length > mostBytes
    this.#chunks = this.#isCrowded ? [all.subarray(mostBytes)] : []
    this.#size = this.#isCrowded ? all.length - mostBytes + chunkOverheadBytes : 0
    if (this.#isHeldBack && !this.#isCrowded) {
      this.#isHeldBack = false
      this.#flow.resume()
    }
    return this.#isCrowded ? all.subarray(0, mostBytes) : all
  }
}

/** Of an answer that nobody reads to its end. */
export function tooLong(): UpstreamFailure {
  return new UpstreamFailure('broken', { message: 'the answer is too long' })
}
