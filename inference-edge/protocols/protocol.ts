import type { ChatTask } from '../../domain/models/model-cache.ts'
import type { ChatEntry } from '../../schema/catalog/entry.ts'
import type { Problem } from '../../schema/errors.ts'
import type { ChargedUsage, Usage } from '../../schema/usage.ts'
import type { ChatCompletion, ChatRequest } from '../../schema/wire/chat.ts'
import type { StreamedChunk } from '../../schema/wire/text-chunk.ts'

/**
 * An API format that clients use: chat completions, responses, messages, embeddings. It translates a request to the
 * canonical chat format (`schema/wire/chat.ts`) and presents the answer. Admission, the vendor's call, settlement and
 * the log are the same for all protocols.
 */
export interface Protocol {
  /** The route in the request log. */
  route: 'chat.completions' | 'responses' | 'messages' | 'embeddings'
  /** The required task of the model; chat by default. */
  task?: ChatTask
  /** Parses and translates a body. Throws Problem, which names the parameter in the client's notation. */
  read(body: unknown): Conversation
}

/** The ID of the request, from which the IDs of the answer and its parts are derived. */
export interface RequestIdentity {
  requestId: string
  /** When the request arrived, in milliseconds since 1970. */
  startedAt: number
}

/** Returns a request's ID without its prefix, for use with another prefix: `resp_…`, `msg_…`. */
export function idSuffixOf(requestId: string): string {
  return requestId.replace(/^req_/, '')
}

/** One translated request of a protocol, with the functions that present its answer. */
export interface Conversation {
  request: ChatRequest
  /** The client's metadata, in the format of the log. */
  metadata: string | null
  /**
   * The number of bytes that the translation added to the body: functions in place of tools that the client only named.
   */
  addedBytes?: number
  /**
   * Returns the fields of the request that depend on the called model, which may be a fallback. Undefined fields are
   * left out.
   */
  overridesFor?(entry: ChatEntry): Partial<ChatRequest>
  /** Returns a problem of the chat request with the parameter's name in this protocol. */
  renameParam(problem: Problem): Problem
  /** Returns the body of an answer that is not streamed. */
  presentWhole(completion: ChatCompletion, usage: ChargedUsage, identity: RequestIdentity): object
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
  /** Returns the first frames. */
  begin(start: StreamStart): string
  /** Returns the frames of one chunk; empty if they are held back until the end. */
  chunk(chunk: StreamedChunk): string
  /** Returns the last frames, which are sent when the charge is durable. */
  end(usage: ChargedUsage): string
  /** Returns the last frames of a broken stream. They have the usage if the produced part is charged. */
  fail(problem: Problem, usage?: ChargedUsage): string
  /** Returns a frame that keeps the connection open while the vendor is silent; empty after the end. */
  keepAlive(): string
}

/** Formats one server-sent event. */
export function frameOf(data: object, event?: string): string {
  return `${event ? `event: ${event}\n` : ''}${frameOfJson(JSON.stringify(data))}`
}

/** Formats one server-sent event whose data is already JSON text. */
export function frameOfJson(json: string): string {
  return `data: ${json}\n\n`
}
