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
  const read = readChunks(translator, bytes, target)
  let first: ChatChunk[] | undefined = await read()
  return {
    async read() {
      const chunks = first
      if (!chunks) return read()
      first = undefined
      return chunks
    },
    get usage() {
      return translator.usage
    },
  }
}

/** Reads chunk by chunk. What came before a failure is answered before it, however the bytes were cut. */
function readChunks(
  translator: ChatTranslator,
  bytes: ByteQueue,
  target: Target,
): () => Promise<ChatChunk[] | undefined> {
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
  return async () => {
    try {
      while (!over) {
        const part = await bytes.read()
        const chunks: ChatChunk[] = []
        if (part) {
          for (const event of reader.push(part)) if (!over) translate(() => translator.read(event), chunks)
        } else {
          over = true
          translate(() => translator.end(), chunks)
        }
        if (chunks.length > 0) return chunks
      }
      if (failure) throw failure
      return undefined
    } catch (error) {
      throw error instanceof UpstreamFailure ? error.of(target) : error
    }
  }
}
