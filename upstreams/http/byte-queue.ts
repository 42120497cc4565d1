import { UpstreamFailure } from '../upstream-failure.ts'

/** Bytes kept before the vendor's connection is paused. */
const highWaterBytes = 65_536

/** What arrived and was not read yet, with backpressure, for one reader. */
export class ByteQueue {
  readonly #flow: { pause(): void; resume(): void }
  #chunks: Buffer[] = []
  #size = 0
  #isHeldBack = false
  #ended = false
  #failure: UpstreamFailure | undefined
  #wake: (() => void) | undefined

  constructor(flow: { pause(): void; resume(): void }) {
    this.#flow = flow
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#size += chunk.length
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

  /** All came, and was read. */
  get isOver(): boolean {
    return this.#ended && this.#chunks.length === 0
  }

  /** What arrived before the failure is still read first. */
  fail(failure: UpstreamFailure): void {
    this.#failure = failure
    this.#wake?.()
  }

  /** All that arrived since the last read; undefined at the end. Throws the failure, if it failed. */
  async read(): Promise<Buffer | undefined> {
    while (this.#chunks.length === 0) {
      if (this.#failure) throw this.#failure
      if (this.#ended) return undefined
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
      this.#wake = undefined
    }
    const [first] = this.#chunks
    const bytes = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks)
    this.#chunks = []
    this.#size = 0
    if (this.#isHeldBack) {
      this.#isHeldBack = false
      this.#flow.resume()
    }
    return bytes
  }

  /** The whole body. Throws `broken` when it is longer than `limitBytes`. */
  async readAll(limitBytes: number): Promise<Buffer> {
    const parts: Buffer[] = []
    let size = 0
    for (let part = await this.read(); part; part = await this.read()) {
      size += part.length
      if (size > limitBytes) throw new UpstreamFailure('broken', { message: 'the answer is too long' })
      parts.push(part)
    }
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
  }
}
