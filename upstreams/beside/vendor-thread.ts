import { randomUUID } from 'node:crypto'
import { openTaskThread, ownMemory } from '../../platform/process/task-thread.ts'
import { type FailureDetails, type FailureKind, UpstreamFailure } from '../upstream-failure.ts'
import { takeOutTexts } from './take-out-texts.ts'

/** A request body to print: the JSON without its long texts, and the texts. */
interface PrintTask {
  kind: 'print'
  json: string
  mark: string
  texts: (string | Uint8Array)[]
}

/** A whole answer of a vendor to read. */
interface ReadTask {
  kind: 'embeddings' | 'media'
  body: Uint8Array
  /** Maximum number of values in the JSON. */
  maxValues: number
  /** Number of embeddings that the answer must have. */
  count: number
}

export type VendorTask = PrintTask | ReadTask

export interface VendorReply {
  bytes?: Uint8Array<ArrayBuffer>
  json?: Record<string, unknown>
  failure?: Omit<FailureDetails, 'cause'> & { kind: FailureKind }
}

/** Prints large requests to vendors and reads their large answers, beside the event loop. */
export interface VendorThread {
  /** Prints a value as JSON. */
  print(value: object): Promise<Buffer>
  /**
   * Reads an answer of `count` embeddings. Resolves to the list of embeddings as JSON and the rest of the answer.
   * Throws UpstreamFailure like `readEmbeddings`.
   */
  readEmbeddings(
    body: Buffer,
    expected: { count: number; maxValues: number },
  ): Promise<{ list: Buffer; rest: Record<string, unknown> }>
  /** Parses an answer with generated files: long texts in base64 become bytes. Throws `broken`. */
  readMedia(body: Buffer, maxValues: number): Promise<Record<string, unknown>>
  close(): Promise<void>
}

/** Size from which an answer is read beside the event loop, in bytes. */
export const largeAnswerBytes = 262_144

/** Opens the thread of a process. It starts with the first task. */
export function openVendorThread(): VendorThread {
  const thread = openTaskThread<VendorTask, VendorReply>('run-vendor-thread', import.meta.url)
  const run = async (task: VendorTask, transferred: ArrayBuffer[]): Promise<VendorReply> => {
    const reply = await thread.run(task, transferred)
    if (!reply.failure) return reply
    const { kind, ...details } = reply.failure
    throw new UpstreamFailure(kind, details)
  }
  return {
    async print(value) {
      const mark = randomUUID()
      const taken = await takeOutTexts(value, mark)
      const json = JSON.stringify(taken.value)
      if (taken.texts.length === 0) return Buffer.from(json)
      const memory = taken.texts.flatMap(text => (typeof text === 'string' ? [] : [text.buffer]))
      const { bytes } = await run({ kind: 'print', json, mark, texts: taken.texts }, memory)
      return bufferOf(bytes)
    },
    async readEmbeddings(body, { count, maxValues }) {
      const { bytes, json = {} } = await run({ kind: 'embeddings', body, maxValues, count }, ownMemory(body))
      return { list: bufferOf(bytes), rest: json }
    },
    async readMedia(body, maxValues) {
      const { json = {} } = await run({ kind: 'media', body, maxValues, count: 0 }, ownMemory(body))
      return json
    },
    close: () => thread.close(),
  }
}

function bufferOf(bytes: Uint8Array<ArrayBuffer> | undefined): Buffer {
  return bytes ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : Buffer.alloc(0)
}
