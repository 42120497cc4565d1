import type { ChatTask } from '../../domain/models/model-cache.ts'
import type { ChatEntry } from '../../schema/catalog/entry.ts'
import type { Problem } from '../../schema/errors.ts'
import type { Usage } from '../../schema/usage.ts'
import type { ChatCompletion, ChatRequest } from '../../schema/wire/chat.ts'
import type { StreamedChunk } from '../../schema/wire/text-chunk.ts'

/**
 * An API format that clients use: chat completions, responses, messages, embeddings. It translates a request
 * into the canonical chat format (`schema/wire/chat.ts`) and presents the answer; admission, the vendor's
 * call, settlement and the log are the same for all.
 */
export interface Protocol {
  /** The route in the request log. */
  route: 'chat.completions' | 'responses' | 'messages' | 'embeddings'
  /** The task that a model must have to be used here; chat by default. */
  task?: ChatTask
  /** Parses and translates a body. Throws Problem, naming the parameter as the client wrote it. */
  read(body: unknown): Conversation
}

/** Identifies the request that is answered: ids of an answer and of its parts are derived from it. */
export interface RequestIdentity {
  requestId: string
  /** Milliseconds since 1970. */
  startedAt: number
}

/** A request's id without its prefix, to be put behind another one: `resp_…`, `msg_…`. */
export function idSuffixOf(requestId: string): string {
  return requestId.replace(/^req_/, '')
}

/** One request of a protocol, translated, and how its answer is presented. */
export interface Conversation {
  request: ChatRequest
  /** Bytes that the translation has added to the body: functions in place of tools that are only named. */
  addedBytes?: number
  /**
   * Fields of the request that differ for the model that is called, which may be a fallback of the
   * requested model; a field that is undefined is left out.
   */
  overridesFor?(entry: ChatEntry): Partial<ChatRequest>
  /** A problem of the chat request, with the parameter under the name that it has in this protocol. */
  renameParam(problem: Problem): Problem
  /** The body of an answer that is not streamed. */
  presentWhole(completion: ChatCompletion, usage: Usage, identity: RequestIdentity): object
  openPresenter(identity: RequestIdentity): StreamPresenter
}

/** The facts about an answer that are known when its stream begins. */
export interface StreamStart {
  model: string
  /** The usage that the vendor has reported so far. */
  usage: Usage | undefined
}

/** Presents one streamed answer as frames of server-sent events. */
export interface StreamPresenter {
  /** The first frames. */
  begin(start: StreamStart): string
  /** The frames of one chunk; empty where they are kept back until the end. */
  chunk(chunk: StreamedChunk): string
  /** The last frames, to be sent when the charge is durable. */
  end(usage: Usage): string
  /** The last frames of a stream that broke. */
  fail(problem: Problem): string
  /** A frame that keeps the connection open while the vendor is silent; empty after the end. */
  keepAlive(): string
}

/** One server-sent event. */
export function frameOf(data: object, event?: string): string {
  return `${event ? `event: ${event}\n` : ''}${frameOfJson(JSON.stringify(data))}`
}

/** One server-sent event whose data is printed already. */
export function frameOfJson(json: string): string {
  return `data: ${json}\n\n`
}
