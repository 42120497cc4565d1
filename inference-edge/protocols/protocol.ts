import type { Problem } from '../../schema/errors.ts'
import type { Usage } from '../../schema/usage.ts'
import type { ChatChunk, ChatCompletion, ChatRequest } from '../../schema/wire/chat.ts'

/**
 * A way in which clients speak of chat: chat completions, responses. It reads the request into the language of the
 * house and presents the answer; admission, the vendor, the money and the log are the same for all.
 */
export interface Protocol {
  /** As the request log names it. */
  route: 'chat.completions' | 'responses'
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
  /** A problem of the chat request, its parameter as this protocol spells it. */
  spell(problem: Problem): Problem
  /** The body of a whole answer. */
  presentWhole(completion: ChatCompletion, usage: Usage, identity: RequestIdentity): object
  openPresenter(identity: RequestIdentity): StreamPresenter
}

/** Presents one streamed answer as frames of server-sent events. */
export interface StreamPresenter {
  /** Frames that begin the stream. */
  begin(): string
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
