import { Readable } from 'node:stream'
import { largeAnswerBytes, type VendorThread } from '../beside/vendor-thread.ts'
import { parseObject } from '../formats/shared/answer.ts'
import { checkValues } from '../formats/shared/values.ts'
import type { ByteQueue } from '../http/byte-queue.ts'
import type { UpstreamAnswer } from '../http/exchange.ts'
import type { MediaAnswer } from '../media-adapter.ts'

/**
 * A vendor's answer as adapters read it. `maxValues` limits its JSON. `count` receives the number of bytes that are
 * kept.
 */
export function openMediaAnswer(
  { status, headers, bytes }: UpstreamAnswer,
  {
    maxValues,
    thread,
    count,
  }: { maxValues: number; thread: VendorThread; count?: ((bytes: number) => void) | undefined },
): MediaAnswer {
  return {
    status,
    headers,
    async json() {
      const body = await bytes.readAll(count)
      if (body.length > largeAnswerBytes) return thread.readMedia(body, maxValues)
      checkValues(body, maxValues)
      return parseObject(body.toString())
    },
    stream: () => streamOf(bytes),
  }
}

/** Returns the bytes as a stream with backpressure. Destroying it closes the vendor's connection. */
export function streamOf(bytes: ByteQueue): Readable {
  return new Readable({
    highWaterMark: 1, // the queue buffers enough
    read() {
      bytes.readChunk().then(
        chunk => this.push(chunk ?? null),
        (error: Error) => this.destroy(error),
      )
    },
    destroy(error, done) {
      bytes.stop()
      done(error)
    },
  })
}
