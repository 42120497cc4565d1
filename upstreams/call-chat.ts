import type { Dispatcher } from 'undici'
import type { ChatAdapter as WireName } from '../schema/catalog/vendor.ts'
import type { Usage } from '../schema/usage.ts'
import type { ChatChunk } from '../schema/wire/chat.ts'
import type { ChatAdapter, ChatAnswer, ChatCall, ChatTranslator, Target } from './chat-adapter.ts'
import type { ByteQueue } from './http/byte-queue.ts'
import { exchange, type Timeouts, type UpstreamAnswer } from './http/exchange.ts'
import { openSseReader } from './http/sse-reader.ts'
import { openaiChat } from './openai-chat/adapter.ts'
import { UpstreamFailure } from './upstream-failure.ts'

/** What is needed to reach vendors. */
export interface Upstreams {
  dispatcher: Dispatcher
  timeouts: Timeouts
}

export interface ChatReply {
  target: Target
  upstreamRequestId: string | null
  /** The whole answer, or the stream whose first chunk has arrived. */
  answer: ChatAnswer | undefined
  stream: ChatStream | undefined
}

/** A streamed answer, read chunk by chunk with backpressure. */
export interface ChatStream {
  /** Chunks that arrived since the last read; undefined at the end. Throws UpstreamFailure. */
  read(): Promise<ChatChunk[] | undefined>
  /** The last usage that the vendor told. */
  readonly usage: Usage | undefined
}

export interface Attempt {
  /** In the order in which they are tried, each once. */
  targets: Target[]
  /** Asked before each try; throws when the caller's key no longer stands. */
  mayTry(): Promise<void>
  /** Aborted when the client leaves. */
  signal: AbortSignal
}

/** Whole answers longer than this are no answers. */
const answerLimitBytes = 64 << 20

const adapters: Partial<Record<WireName, ChatAdapter>> = { 'openai-chat': openaiChat }

/**
 * Calls the vendor of a chat model: each target once, until one answers. Resolves when the whole answer, or the
 * first chunk of a stream, is there; until then nothing has reached the client and the next target may be tried.
 * Throws the last target's UpstreamFailure, Problem for what the vendor cannot do, and what `mayTry` throws.
 */
export async function callChat(upstreams: Upstreams, call: ChatCall, attempt: Attempt): Promise<ChatReply> {
  const adapter = adapters[call.entry.upstream.adapter]
  if (!adapter) throw new UpstreamFailure('broken', { message: `no adapter ${call.entry.upstream.adapter}` })
  let failure = new UpstreamFailure('auth', { message: `no credential for ${call.entry.provider}` })
  for (const target of attempt.targets) {
    await attempt.mayTry()
    try {
      return await tryTarget(upstreams, adapter, call, target, attempt.signal)
    } catch (error) {
      if (!(error instanceof UpstreamFailure) || error.kind === 'aborted' || error.kind === 'request')
        throw error
      failure = error
    }
  }
  throw failure
}

async function tryTarget(
  upstreams: Upstreams,
  adapter: ChatAdapter,
  call: ChatCall,
  target: Target,
  signal: AbortSignal,
): Promise<ChatReply> {
  const request = await adapter.buildRequest(call, target)
  const reached = await exchange(upstreams.dispatcher, request, { timeouts: upstreams.timeouts, signal })
  const { status, headers, bytes } = reached
  if (status !== 200) throw adapter.readFailure(status, headers, await bytes.readAll(1 << 20))
  const reply = { target, upstreamRequestId: requestIdOf(reached) }
  if (call.request.stream) {
    return { ...reply, answer: undefined, stream: await openStream(adapter.openTranslator(call), reached) }
  }
  return {
    ...reply,
    stream: undefined,
    answer: adapter.readAnswer(await bytes.readAll(answerLimitBytes), call),
  }
}

/** Waits for the first chunk, so that what fails before it keeps a real HTTP status. */
async function openStream(translator: ChatTranslator, { bytes }: UpstreamAnswer): Promise<ChatStream> {
  const read = readChunks(translator, bytes)
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
function readChunks(translator: ChatTranslator, bytes: ByteQueue): () => Promise<ChatChunk[] | undefined> {
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
  }
}

function requestIdOf({ headers }: UpstreamAnswer): string | null {
  const id = headers['x-request-id'] ?? headers['request-id']
  return typeof id === 'string' ? id : null
}
