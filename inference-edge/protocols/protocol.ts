import type { ChatTask } from '../../domain/models/model-cache.ts'
import type { ChatEntry } from '../../schema/catalog/entry.ts'
import type { Problem } from '../../schema/errors.ts'
import type { Usage } from '../../schema/usage.ts'
import type { ChatChunk, ChatCompletion, ChatRequest } from '../../schema/wire/chat.ts'

/**
 * A way in which clients speak of chat: chat completions, responses, messages. It reads the request into the language of the
 * system and presents the answer; admission, the vendor, the money and the log are the same for all.
 */
export interface Protocol {
  /** As the request log names it. */
  route: 'chat.completions' | 'responses' | 'messages' | 'embeddings'
  /** What its models can do; chat unless it says otherwise. */
  task?: ChatTask
  /** Throws Problem, naming the parameter as this protocol spells it. */
  read(body: unknown): Conversation
}

/** Which request is answered: protocols that name their answers, name them after it. */
export interface RequestIdentity {
  requestId: string
  /** Milliseconds since 1970. */
  startedAt: number
}

/** One request of a protocol. */
export interface Conversation {
  request: ChatRequest
  /** Bytes that reading has added to what the client sent: tools that it named are told to vendors in full. */
  addedBytes?: number
  /** What the request says otherwise to that model, which may be another than was asked for. */
  fit?(entry: ChatEntry): { [Field in keyof ChatRequest]?: ChatRequest[Field] | undefined }
  /** A problem of the chat request, its parameter as this protocol spells it. */
  spell(problem: Problem): Problem
  /** The body of a whole answer. */
  presentWhole(completion: ChatCompletion, usage: Usage, identity: RequestIdentity): object
  openPresenter(identity: RequestIdentity): StreamPresenter
}

/** What is known of an answer when its stream begins. */
export interface Beginning {
  model: string
  /** What the vendor has told of it so far. */
  usage: Usage | undefined
}

/** Presents one streamed answer as frames of server-sent events. */
export interface StreamPresenter {
  /** Frames that begin the stream. */
  begin(known: Beginning): string
  /** Frames of one chunk; empty where they wait for the end. */
  chunk(chunk: ChatChunk): string
  /** The last frames: sent when the charge is durable. */
  end(usage: Usage): string
  /** The last frames of a stream that broke. */
  fail(problem: Problem): string
  /** What keeps a silent connection open. */
  keepAlive(): string
}

/** One event as a frame. */
export function frameOf(data: object, event?: string): string {
  return `${event ? `event: ${event}\n` : ''}data: ${JSON.stringify(data)}\n\n`
}
