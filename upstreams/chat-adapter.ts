import type { IncomingHttpHeaders } from 'node:http'
import type { ChatEntry } from '../schema/catalog/entry.ts'
import type { Usage } from '../schema/usage.ts'
import type { ChatCompletion, ChatRequest } from '../schema/wire/chat.ts'
import type { StreamedChunk } from '../schema/wire/text-chunk.ts'
import type { Target } from './targets.ts'
import type { UpstreamFailure } from './upstream-failure.ts'

/**
 * One wire format: the request out, the whole answer or the stream back, and errors. An adapter translates
 * from and to the canonical chat format (`schema/wire/chat.ts`). A cloud that serves a format at other
 * addresses and with other credentials (`clouds/`) wraps the adapter of that format.
 */
export interface ChatAdapter {
  /**
   * Builds the vendor's request. Throws Problem, naming the parameter, for what the vendor cannot do, and
   * UpstreamFailure where no token can be fetched.
   */
  buildRequest(
    call: ChatCall,
    target: Target,
    services: AdapterServices,
  ): UpstreamRequest | Promise<UpstreamRequest>
  /** Reads a whole answer. Throws UpstreamFailure when the body is not one. */
  readAnswer(body: Buffer, call: ChatCall, target: Target): ChatAnswer
  /** Reads a large answer beside the event loop, where the format has such. Throws as `readAnswer` does. */
  readBeside?(
    body: Buffer,
    call: ChatCall,
    beside: { thread: LargeAnswers; maxValues: number },
  ): Promise<ChatAnswer>
  /** The most that a whole answer may hold, if the request says so. Otherwise the ordinary limits apply. */
  expectedSize?(call: ChatCall): AnswerSize
  /** Opens the translator of one streamed answer. */
  openTranslator(call: ChatCall, target: Target): ChatTranslator
  /** Reads an answer with an error status. */
  readFailure(status: number, headers: IncomingHttpHeaders, body: Buffer, call: ChatCall): UpstreamFailure
  /**
   * After a failure of kind `request`: the call without what the vendor refused, where the client can do
   * without it. It is sent once in place of the refused one. Undefined where nothing can be left out.
   */
  withoutRefused?(failure: UpstreamFailure, call: ChatCall): ChatCall | undefined
}

/** The most that a whole answer may hold. */
export interface AnswerSize {
  bytes: number
  /** Values in its JSON. */
  values: number
}

/** One chat request on its way to a vendor. */
export interface ChatCall {
  entry: ChatEntry
  /** As the client sent it, validated. */
  request: ChatRequest
  /**
   * The longest answer, in tokens. It is always sent to the vendor, since money is held for exactly this
   * much.
   */
  outputTokens: number
  /**
   * Opaque and stable per end user: keeps the prefixes that a vendor caches for one end user from all others.
   */
  cacheToken: string
}

/** A request over HTTP; POST where it names no other method. */
export interface HttpRequest {
  origin: string
  path: string
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  headers: Record<string, string>
  body?: string | Buffer
}

/** A chat request in a vendor's own wire format. */
export interface UpstreamRequest extends Omit<HttpRequest, 'body'> {
  /** A value to print as JSON, or the JSON itself where it had to be signed. */
  body: object | string
}

/** Reads large answers beside the event loop. */
export interface LargeAnswers {
  /** Reads an answer of `count` embeddings. Resolves to them as JSON, and the other fields. Throws UpstreamFailure. */
  readEmbeddings(
    body: Buffer,
    expected: { count: number; maxValues: number },
  ): Promise<{ list: Buffer; rest: Record<string, unknown> }>
}

/** A whole answer in the canonical chat format. */
export interface ChatAnswer {
  completion: ChatCompletion
  /** Absent when the vendor did not report any. */
  usage: Usage | undefined
  /** The service tier that the vendor reported, in formats that report one. */
  serviceTier?: string | undefined
}

/** Reads one streamed answer, event by event. */
export interface ChatTranslator {
  /** The chunks of one event. Throws UpstreamFailure when the vendor reports an error. */
  read(event: SseEvent): StreamedChunk[]
  /** The chunks still due after the last event. Throws UpstreamFailure when the answer is incomplete. */
  end(): StreamedChunk[]
  /** Every choice has ended: of what follows only the usage belongs to the answer. */
  readonly isFinished: boolean
  /**
   * Nothing more is expected: the answer has ended and its usage is known, or the vendor sent its end marker.
   */
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
  /** The service tier that the vendor reported last, in formats that report one. */
  readonly serviceTier?: string | undefined
}

/** One server-sent event. */
export interface SseEvent {
  event: string | undefined
  data: string
}

/** What an adapter may fetch while it builds a request. */
export interface AdapterServices {
  /**
   * Downloads images, given by address with the parameter by which errors name each.
   * Throws `invalid_request`, naming the parameter, and UpstreamFailure `aborted`.
   */
  fetchImages(params: ReadonlyMap<string, string>): Promise<Map<string, FetchedImage>>
  /** A bearer token of a service account. Throws UpstreamFailure. */
  accessToken(account: ServiceAccount): Promise<string>
  /**
   * Drops the token that `accessToken` gave, because the vendor refused it: the next call fetches another.
   */
  forgetToken(): void
}

export interface FetchedImage {
  mimeType: string
  /** Base64. */
  data: string
}

/** A service account of Google Cloud: the fields from which a token is made. */
export interface ServiceAccount {
  clientEmail: string
  /** PEM. */
  privateKey: string
  privateKeyId: string | undefined
  projectId: string
  tokenUri: string
}
