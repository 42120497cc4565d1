import type { Usage } from '../../schema/usage.ts'
import type { StreamedChunk } from '../../schema/wire/text-chunk.ts'
import type { ChatTranslator, SseEvent } from '../chat-adapter.ts'
import type { UpstreamAnswer } from '../http/exchange.ts'
import { openSseReader, type SseReader } from '../http/sse-reader.ts'
import type { Target } from '../targets.ts'
import { UpstreamFailure } from '../upstream-failure.ts'

/** A streamed answer, read chunk by chunk with backpressure. */
export interface ChatStream {
  /** Chunks that arrived since the last read; undefined at the end. Throws UpstreamFailure. */
  read(): Promise<StreamedChunk[] | undefined>
  /** Closes the vendor's connection immediately and discards the rest of the answer. */
  disconnect(): void
  /** Whether the answer is complete and has been read. */
  readonly isOver: boolean
  /** The latest usage that the vendor reported. */
  readonly usage: Usage | undefined
  /**
   * Whether `usage` counts the whole answer; otherwise it counts what had been generated when it was
   * reported.
   */
  readonly isUsageFinal: boolean
  /** Whether the vendor showed that the model thinks; undefined in formats in which only the usage shows it. */
  readonly thinks: boolean | undefined
  /** The service tier that the vendor reported last. */
  readonly serviceTier?: string | undefined
}

/** The part of an exchange that a stream needs. */
export type StreamedBytes = Pick<UpstreamAnswer, 'bytes' | 'discardRest'>

/** Maximum wait for the usage after every choice has ended, in milliseconds and in bytes. */
const usageGraceMs = 2_000
const usageGraceBytes = 1 << 18

/**
 * Maximum time in which a vendor ends a complete response, in milliseconds. Then its connection is reused; otherwise it is
 * closed.
 */
const lingerMs = 1_000

/**
 * Opens the stream of a call to `target` and waits for its first chunk, so that an earlier failure can still be
 * returned with its HTTP status. An event of more than `eventCharacters` ends the stream. Throws UpstreamFailure.
 */
export function openChatStream(
  translator: ChatTranslator,
  answer: StreamedBytes,
  target: Target,
  eventCharacters?: number,
): Promise<ChatStream> {
  return TranslatedStream.open({ translator, answer, target, eventCharacters })
}

interface StreamOptions {
  translator: ChatTranslator
  answer: StreamedBytes
  target: Target
  eventCharacters: number | undefined
}

/**
 * Reads chunk by chunk. Chunks that arrived before a failure are returned before it is thrown. Once every choice has
 * ended, the answer is complete: the stream waits briefly for the usage, and no later event is a failure
 * (docs/behaviour.md, Streams).
 */
class TranslatedStream implements ChatStream {
  readonly #translator: ChatTranslator
  readonly #answer: StreamedBytes
  readonly #target: Target
  readonly #reader: SseReader
  /** The chunks that `open` has read. */
  #opening: StreamedChunk[] | undefined
  #grace: NodeJS.Timeout | undefined
  #graceLeft = usageGraceBytes
  #isEnded = false
  #failure: unknown

  static async open(options: StreamOptions): Promise<ChatStream> {
    const stream = new TranslatedStream(options)
    stream.#opening = await stream.read()
    return stream
  }

  private constructor(options: StreamOptions) {
    this.#translator = options.translator
    this.#answer = options.answer
    this.#target = options.target
    this.#reader = openSseReader(options.eventCharacters)
  }

  get isOver(): boolean {
    return this.#isEnded && !this.#failure && !this.#opening
  }

  get usage(): Usage | undefined {
    return this.#translator.usage
  }

  get isUsageFinal(): boolean {
    return this.#translator.isUsageFinal
  }

  get thinks(): boolean | undefined {
    return this.#translator.thinks
  }

  get serviceTier(): string | undefined {
    return this.#translator.serviceTier
  }

  async read(): Promise<StreamedChunk[] | undefined> {
    const opening = this.#opening
    this.#opening = undefined
    if (opening) return opening
    try {
      while (!this.#isEnded) {
        const chunks = this.#readChunks(await this.#readPart())
        if (chunks.length > 0) return chunks
      }
      if (this.#failure) throw this.#failure
      return undefined
    } catch (error) {
      clearTimeout(this.#grace)
      throw error instanceof UpstreamFailure ? error.redactFor(this.#target) : error
    }
  }

  disconnect(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    clearTimeout(this.#grace)
    this.#answer.discardRest(0)
    this.#answer.bytes.end()
  }

  async #readPart(): Promise<Buffer | undefined> {
    const { bytes } = this.#answer
    try {
      return await bytes.read()
    } catch (error) {
      if (!this.#translator.isFinished) throw error
      bytes.end()
      return undefined
    }
  }

  /** Returns the chunks that a part completes, up to the end of the answer. */
  #readChunks(part: Buffer | undefined): StreamedChunk[] {
    const chunks: StreamedChunk[] = []
    if (this.#isEnded) return chunks // it was disconnected during the read
    if (part) {
      for (const event of this.#reader.push(part)) {
        this.#readEvent(event, chunks)
        if (this.#isEnded) return chunks
      }
    }
    this.#endIfComplete(part, chunks)
    return chunks
  }

  #readEvent(event: SseEvent, chunks: StreamedChunk[]): void {
    const wasFinished = this.#translator.isFinished
    try {
      const read = this.#translator.read(event)
      if (!wasFinished) for (const chunk of read) chunks.push(chunk)
    } catch (error) {
      if (this.#translator.isFinished) this.#end(chunks)
      else this.#fail(error)
      return
    }
    if (this.#translator.isOver) this.#end(chunks)
  }

  /** Ends the answer if no more of it can arrive. Until then, a finished answer waits for its usage. */
  #endIfComplete(part: Buffer | undefined, chunks: StreamedChunk[]): void {
    if (this.#translator.isFinished) this.#waitForUsage(part)
    if (this.#answer.bytes.isOver || this.#graceLeft <= 0) this.#end(chunks)
  }

  /** Starts the wait for the usage, or counts this part against the bytes that may arrive until then. */
  #waitForUsage(part: Buffer | undefined): void {
    if (this.#grace) this.#graceLeft -= part?.length ?? 0
    this.#grace ??= setTimeout(() => {
      this.#graceLeft = 0
      this.#answer.bytes.end()
    }, usageGraceMs)
  }

  #end(chunks: StreamedChunk[]): void {
    this.#isEnded = true
    clearTimeout(this.#grace)
    this.#answer.discardRest(this.#graceLeft > 0 ? lingerMs : 0)
    try {
      chunks.push(...this.#translator.end())
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    this.#isEnded = true
    this.#failure = error
  }
}
