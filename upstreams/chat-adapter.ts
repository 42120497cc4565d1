import type { IncomingHttpHeaders } from 'node:http'
import type { ChatEntry } from '../schema/catalog/entry.ts'
import type { Usage } from '../schema/usage.ts'
import type { ChatCompletion, ChatRequest } from '../schema/wire/chat.ts'
import type { StreamedChunk } from '../schema/wire/text-chunk.ts'
import type { Target } from './targets.ts'
import type { UpstreamFailure } from './upstream-failure.ts'

/**
 * One wire format: requests, whole answers, streams and errors. An adapter translates from and to the canonical chat
 * format (`schema/wire/chat.ts`). For a cloud that serves the format at other addresses with other credentials,
 * `clouds/` wraps the adapter.
 */
export interface ChatAdapter {
  /**
   * Builds the vendor's request. Throws Problem with the parameter that the vendor does not support, and
   * UpstreamFailure if no token can be fetched.
   */
  buildRequest(
    call: ChatCall,
    target: Target,
    services: AdapterServices,
  ): UpstreamRequest | Promise<UpstreamRequest>
  /** Reads a whole answer. Throws UpstreamFailure if the body is not an answer. */
  readAnswer(body: Buffer, call: ChatCall, target: Target): ChatAnswer
  /** Reads a large answer beside the event loop, in formats that have large answers. Throws as `readAnswer` does. */
  readBeside?(
    body: Buffer,
    call: ChatCall,
    beside: { thread: LargeAnswers; maxValues: number },
  ): Promise<ChatAnswer>
  /** Returns the expected size of a whole answer, if the request determines it. Otherwise the usual limits apply. */
  expectedSize?(call: ChatCall): AnswerSize
  /** Opens the translator of one streamed answer. */
  openTranslator(call: ChatCall, target: Target): ChatTranslator
  /** Reads an answer with an error status. */
  readFailure(status: number, headers: IncomingHttpHeaders, body: Buffer, call: ChatCall): UpstreamFailure
  /**
   * Returns the call without the parts that the vendor refused with a failure of kind `request`, if the client does not
   * depend on them. It is sent once instead of the refused call. Returns undefined if nothing can be left out.
   */
  withoutRefused?(failure: UpstreamFailure, call: ChatCall): ChatCall | undefined
}

/** The expected size of a whole answer. */
export interface AnswerSize {
  bytes: number
  /** Values in its JSON. */
  values: number
}

/** One chat request to a vendor. */
export interface ChatCall {
  entry: ChatEntry
  /** As the client sent it, validated. */
  request: ChatRequest
  /**
   * Maximum length of the answer, in tokens. It is always sent to the vendor, because the hold covers exactly this
   * length.
   */
  outputTokens: number
  /** An opaque text per end user, which separates the cached prompts of different end users. */
  cacheToken: string
}

/** An HTTP request. The method defaults to POST. */
export interface HttpRequest {
  origin: string
  path: string
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  headers: Record<string, string>
  body?: string | Buffer
}

/** A chat request in a vendor's own wire format. */
export interface UpstreamRequest extends Omit<HttpRequest, 'body'> {
  /** A value to print as JSON, or the JSON itself if it had to be signed. */
  body: object | string
}

/** Reads large answers beside the event loop. */
export interface LargeAnswers {
  /**
   * Reads an answer of `count` embeddings. Resolves to the embeddings as JSON, and to the other fields. Throws
   * UpstreamFailure.
   */
  readEmbeddings(
    body: Buffer,
    expected: { count: number; maxValues: number },
  ): Promise<{ list: Buffer; rest: Record<string, unknown> }>
}

/** A whole answer in the canonical chat format. */
export interface ChatAnswer {
  completion: ChatCompletion
  /** Absent if the vendor did not report it. */
  usage: Usage | undefined
  /** The service tier that the vendor reported, in formats that report one. */
  serviceTier?: string | undefined
}

/** Reads one streamed answer, event by event. */
export interface ChatTranslator {
  /** Returns the chunks of one event. Throws UpstreamFailure if the vendor reports an error. */
  read(event: SseEvent): StreamedChunk[]
  /** Returns the remaining chunks after the last event. Throws UpstreamFailure if the answer is incomplete. */
  end(): StreamedChunk[]
  /** Whether every choice has ended. After that, only the usage belongs to the answer. */
  readonly isFinished: boolean
  /**
   * Whether nothing more is expected: the answer has ended and its usage is known, or the vendor sent its end marker.
   */
  readonly isOver: boolean
  /** The latest usage that the vendor reported. */
  readonly usage: Usage | undefined
  /**
   * Whether `usage` counts the whole answer; otherwise it counts what had been generated when it was
   * reported.
   */
  readonly isUsageFinal: boolean
  /** Whether the vendor showed that the model thinks; undefined in formats in which only the usage shows it. */
  readonly thinks: boolean | undefined
  /** The service tier that the vendor reported last, in formats that report one. */
  readonly serviceTier?: string | undefined
}

/** One server-sent event. */
export interface SseEvent {
  event: string | undefined
  data: string
}

/** The downloads that an adapter can make while it builds a request. */
export interface AdapterServices {
  /**
   * Downloads images. `params` maps each URL to the parameter that errors name. Throws `invalid_request`, naming the
   * parameter, and UpstreamFailure `aborted`.
   */
  fetchImages(params: ReadonlyMap<string, string>): Promise<Map<string, FetchedImage>>
  /** Resolves to a bearer token of a service account. Throws UpstreamFailure. */
  accessToken(account: ServiceAccount): Promise<string>
  /** Drops a token of `accessToken` that the vendor refused. The next call fetches another. */
  forgetToken(): void
}

export interface FetchedImage {
  mimeType: string
  /** Base64. */
  data: string
}

/** The fields of a Google Cloud service account with which tokens are requested. */
export interface ServiceAccount {
  clientEmail: string
  /** PEM. */
  privateKey: string
  privateKeyId: string | undefined
  projectId: string
  tokenUri: string
}
