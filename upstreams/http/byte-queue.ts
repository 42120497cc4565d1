import { setImmediate as nextTurn } from 'node:timers/promises'
import { joinByTurns } from '../../platform/join-by-turns.ts'
import { UpstreamFailure } from '../upstream-failure.ts'

/** Number of queued bytes above which the vendor's connection is paused. */
const highWaterBytes = 65_536

/**
 * Overhead that is counted for each chunk, in bytes, so that a vendor that sends single bytes uses no more memory than
 * others.
 */
const chunkOverheadBytes = 256

/**
 * Maximum number of bytes per read. The rest waits for the next turn of the event loop, so that other requests proceed.
 */
const readBytes = 16_384

/** Controls the connection that fills the queue. */
export interface Flow {
  pause(): void
  resume(): void
  /** Closes the connection. Nothing more is read. */
  stop(): void
}

/** A queue of the bytes that have arrived and were not read yet, with backpressure, for one reader. */
export class ByteQueue {
  readonly #flow: Flow
  readonly #limitBytes: number
  #chunks: Buffer[] = []
  /** The number of queued bytes, including overhead. */
  #size = 0
  /** The number of all bytes that have arrived. */
  #arrivedBytes = 0
  #hasLeftover = false
  #isPaused = false
  #ended = false
  #failure: UpstreamFailure | undefined
  #wake: (() => void) | undefined

  /** An answer longer than `limitBytes` fails as `broken`, and its rest is not read. */
  constructor(flow: Flow, limitBytes = Number.POSITIVE_INFINITY) {
    this.#flow = flow
    this.#limitBytes = limitBytes
  }

  push(chunk: Buffer): void {
    if (this.#failure) return
    this.#arrivedBytes += chunk.length
    if (this.#arrivedBytes > this.#limitBytes) {
      this.fail(answerTooLong())
      this.#flow.stop()
      return
    }
    this.#chunks.push(chunk)
    this.#size += chunk.length + chunkOverheadBytes
    if (this.#size > highWaterBytes && !this.#isPaused) {
      this.#isPaused = true
      this.#flow.pause()
    }
    this.#wake?.()
  }

  end(): void {
    this.#ended = true
    this.#wake?.()
  }

  /** Whether the connection is paused until more is read. */
  get isPaused(): boolean {
    return this.#isPaused
  }

  /** The number of queued bytes, including overhead. */
  get queuedBytes(): number {
    return this.#size
  }

  /** Whether everything has arrived and was read. */
  get isOver(): boolean {
    return this.#ended && this.#chunks.length === 0
  }

  /** Fails the queue. Bytes that arrived before are still read first. */
  fail(failure: UpstreamFailure): void {
    this.#failure ??= failure
    this.#wake?.()
  }

  /** Closes the vendor's connection. Nothing more is read. */
  stop(): void {
    if (!this.#ended) this.#flow.stop()
  }

  /**
   * Returns the bytes that arrived since the last read, at most 16 KiB, or undefined at the end. Throws the failure of
   * a failed queue.
   */
  async read(): Promise<Buffer | undefined> {
    if (this.#hasLeftover) await nextTurn()
    if (this.#chunks.length === 0 && !(await this.#hasMore())) return undefined
    return this.#take(readBytes)
  }

  /**
   * Returns the next chunk without a copy, for bytes that are forwarded unchanged. Returns undefined at the end. Throws
   * the failure of a failed queue.
   */
  async readChunk(): Promise<Buffer | undefined> {
    if (this.#chunks.length === 0 && !(await this.#hasMore())) return undefined
    const chunk = this.#chunks.shift()
    this.#size -= (chunk?.length ?? 0) + chunkOverheadBytes
    this.#hasLeftover = false
    this.#resumeIf(this.#chunks.length === 0)
    return chunk
  }

  /**
   * Returns the whole body, immediately if all of it has arrived. `count` receives the number of bytes that are kept
   * beyond the first 64 kB. If it throws, the reading ends. Throws the failure of a failed queue.
   */
  readAll(count?: (bytes: number) => void): Buffer | Promise<Buffer> {
    return this.#ended && this.#chunks.length === 1
      ? this.#take(Number.POSITIVE_INFINITY)
      : this.#readOn(count)
  }

  async #readOn(count?: (bytes: number) => void): Promise<Buffer> {
    const parts: Buffer[] = []
    let size = 0
    while (await this.#hasMore()) {
      const part = this.#take(Number.POSITIVE_INFINITY)
      parts.push(part)
      size += part.length
      if (size > highWaterBytes) count?.(part.length)
    }
    return joinByTurns(parts)
  }

  /** Returns at most `maxBytes` of the body. The rest is not read. Throws the failure of a failed queue. */
  async readStart(maxBytes: number): Promise<Buffer> {
    const parts: Buffer[] = []
    let size = 0
    while (size < maxBytes && (await this.#hasMore())) {
      const part = this.#take(maxBytes - size)
      size += part.length
      parts.push(part)
    }
    if (!this.isOver) this.stop()
    return Buffer.concat(parts)
  }

  /** Waits until bytes are queued. Resolves to false at the end. */
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

  #resumeIf(isRead: boolean): void {
    if (!this.#isPaused || !isRead) return
    this.#isPaused = false
    this.#flow.resume()
  }

  #take(maxBytes: number): Buffer {
    const queuedBytes = this.#size - this.#chunks.length * chunkOverheadBytes
    const [first] = this.#chunks
    const all = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks, queuedBytes)
    this.#hasLeftover = all.length > maxBytes
    this.#chunks = this.#hasLeftover ? [all.subarray(maxBytes)] : []
    this.#size = this.#hasLeftover ? all.length - maxBytes + chunkOverheadBytes : 0
    this.#resumeIf(!this.#hasLeftover)
    return this.#hasLeftover ? all.subarray(0, maxBytes) : all
  }
}

/** Returns the failure of an answer that exceeds its limit. */
export function answerTooLong(): UpstreamFailure {
  return new UpstreamFailure('broken', { message: 'the answer is too long' })
}
