import type { Usage } from '../schema/usage.ts'
import type { ChatChunk } from '../schema/wire/chat.ts'
import type { ChatTranslator, Target } from './chat-adapter.ts'
import type { ByteQueue } from './http/byte-queue.ts'
import { openSseReader } from './http/sse-reader.ts'
import { UpstreamFailure } from './upstream-failure.ts'

/** A streamed answer, read chunk by chunk with backpressure. */
export interface ChatStream {
  /** Chunks that arrived since the last read; undefined at the end. Throws UpstreamFailure. */
  read(): Promise<ChatChunk[] | undefined>
  /** The vendor's answer is whole, and read. */
  readonly isOver: boolean
  /** The last usage that the vendor told. */
  readonly usage: Usage | undefined
}

/**
 * Opens the stream of a call to `target` and waits for its first chunk, so that what fails before it keeps a real
 * HTTP status. Throws UpstreamFailure.
 */
export async function openChatStream(
  translator: ChatTranslator,
  bytes: ByteQueue,
  target: Target,
): Promise<ChatStream> {
  const chunks = openChunks(translator, bytes, target)
  let first: ChatChunk[] | undefined = await chunks.read()
  return {
    async read() {
      if (!first) return chunks.read()
      const opening = first
      first = undefined
      return opening
    },
    get isOver() {
      return !first && chunks.isOver
    },
    get usage() {
      return translator.usage
    },
  }
}

/** Reads chunk by chunk. What came before a failure is answered before it, however the bytes were cut. */
function openChunks(
  translator: ChatTranslator,
  bytes: ByteQueue,
  target: Target,
): Pick<ChatStream, 'read' | 'isOver'> {
  const reader = openSseReader()
  let over = false
  let failure: unknown
  const translate = (step: () => ChatChunk[], chunks: ChatChunk[]) => {
    try {
      chunks.push(...step())
    } catch (error) {
      over = true
      failure = error
    }
  }
  const readOn = async () => {
    while (!over) {
      const part = await bytes.read()
      const chunks: ChatChunk[] = []
      for (const event of part ? reader.push(part) : []) {
        if (!over) translate(() => translator.read(event), chunks)
      }
      if (!over && bytes.isOver) {
        over = true
        translate(() => translator.end(), chunks)
      }
      if (chunks.length > 0) return chunks
    }
    if (failure) throw failure
    return undefined
  }
  return {
    read: () =>
      readOn().catch(error => {
        throw error instanceof UpstreamFailure ? error.of(target) : error
      }),
    get isOver() {
      return over && !failure
    },
  }
}
