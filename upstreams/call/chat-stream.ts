import type { Usage } from '../../schema/usage.ts'
import type { ChatChunk } from '../../schema/wire/chat.ts'
import type { ChatTranslator, SseEvent } from '../chat-adapter.ts'
import type { UpstreamAnswer } from '../http/exchange.ts'
import { openSseReader } from '../http/sse-reader.ts'
import type { Target } from '../targets.ts'
import { UpstreamFailure } from '../upstream-failure.ts'

/** A streamed answer, read chunk by chunk with backpressure. */
export interface ChatStream {
  /** Chunks that arrived since the last read; undefined at the end. Throws UpstreamFailure. */
  read(): Promise<ChatChunk[] | undefined>
  /** Closes the vendor's connection at once: no more of the answer is wanted. */
  hangUp(): void
  /** Whether the answer is complete and has been read. */
  readonly isOver: boolean
  /** The latest usage that the vendor reported. */
  readonly usage: Usage | undefined
  /**
   * Whether `usage` counts the whole answer; otherwise it counts what had been generated when it was
   * reported.
   */
  readonly isUsageFinal: boolean
  /** Whether the vendor showed that the model thinks; undefined in formats where only the usage shows it. */
  readonly thinks: boolean | undefined
}

/** The part of an exchange that a stream needs. */
export type StreamedBytes = Pick<UpstreamAnswer, 'bytes' | 'discardRest'>

/** After every choice has ended, the usage is waited for so many milliseconds and bytes. */
const usageGraceMs = 2_000
const usageGraceBytes = 1 << 18

/**
 * How long a vendor may take to close an answer that is complete: one that does keeps its connection open for
 * reuse.
 */
const lingerMs = 1_000

/**
 * Opens the stream of a call to `target` and waits for its first chunk, so that a failure before it can still
 * be answered with a proper HTTP status. An event of more than `eventCharacters` ends it. Throws
 * UpstreamFailure.
 */
export async function openChatStream(
  translator: ChatTranslator,
  answer: StreamedBytes,
  target: Target,
  eventCharacters?: number,
): Promise<ChatStream> {
  const chunks = openChunks(translator, answer, target, eventCharacters)
  let first: ChatChunk[] | undefined = await chunks.read()
  return {
    async read() {
      if (!first) return chunks.read()
      const opening = first
      first = undefined
      return opening
    },
    hangUp: chunks.hangUp,
    get isOver() {
      return !first && chunks.isOver
    },
    get usage() {
      return translator.usage
    },
    get isUsageFinal() {
      return translator.isUsageFinal
    },
    get thinks() {
      return translator.thinks
    },
  }
}

/**
 * Reads chunk by chunk. Chunks that came before a failure are returned before it is thrown, however the bytes
 * were split. Once every choice has ended the answer is complete: the usage is waited for a moment, and
 * nothing that the vendor does after that is a failure (docs/behaviour.md, Streams).
 */
function openChunks(
  translator: ChatTranslator,
  answer: StreamedBytes,
  target: Target,
  eventCharacters: number | undefined,
): Pick<ChatStream, 'read' | 'isOver' | 'hangUp'> {
  const { bytes } = answer
  const reader = openSseReader(eventCharacters)
  let grace: NodeJS.Timeout | undefined
  let graceLeft = usageGraceBytes
  let over = false
  let failure: unknown

  const end = (chunks: ChatChunk[]) => {
    over = true
    clearTimeout(grace)
    answer.discardRest(graceLeft > 0 ? lingerMs : 0)
    try {
      chunks.push(...translator.end())
    } catch (error) {
      failure = error
    }
  }
  const readEvent = (event: SseEvent, chunks: ChatChunk[]) => {
    const wasFinished = translator.isFinished
    try {
      const read = translator.read(event)
      if (!wasFinished) for (const chunk of read) chunks.push(chunk)
    } catch (error) {
      if (translator.isFinished) return end(chunks)
      over = true
      failure = error
      return
    }
    if (translator.isOver) end(chunks)
  }
  /** Starts the wait for the usage, or counts this part against the bytes that may arrive meanwhile. */
  const waitForUsage = (part: Buffer | undefined) => {
    if (grace) graceLeft -= part?.length ?? 0
    grace ??= setTimeout(() => {
      graceLeft = 0
      bytes.end()
    }, usageGraceMs)
  }
  const readPart = async () => {
    try {
      return await bytes.read()
    } catch (error) {
      if (!translator.isFinished) throw error
      bytes.end()
      return undefined
    }
  }
  const readOn = async () => {
    while (!over) {
      const part = await readPart()
      if (over) break
      const chunks: ChatChunk[] = []
      for (const event of part ? reader.push(part) : []) {
        if (!over) readEvent(event, chunks)
      }
      if (!over && translator.isFinished) waitForUsage(part)
      if (!over && (bytes.isOver || graceLeft <= 0)) end(chunks)
      if (chunks.length > 0) return chunks
    }
    if (failure) throw failure
    return undefined
  }
  return {
    read: () =>
      readOn().catch(error => {
        clearTimeout(grace)
        throw error instanceof UpstreamFailure ? error.redactFor(target) : error
      }),
    hangUp() {
      if (over) return
      over = true
      clearTimeout(grace)
      answer.discardRest(0)
      bytes.end()
    },
    get isOver() {
      return over && !failure
    },
  }
}
