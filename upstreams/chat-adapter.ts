import type { IncomingHttpHeaders } from 'node:http'
import type { ChatEntry } from '../schema/catalog/entry.ts'
import type { Usage } from '../schema/usage.ts'
import type { ChatChunk, ChatCompletion, ChatRequest } from '../schema/wire/chat.ts'
import type { AdapterServices } from './call/adapter-services.ts'
import type { UpstreamRequest } from './http/exchange.ts'
import type { SseEvent } from './http/sse-reader.ts'
import type { UpstreamFailure } from './upstream-failure.ts'

/** One chat request on its way to a vendor. */
export interface ChatCall {
  entry: ChatEntry
  /** As the client sent it, checked. */
  request: ChatRequest
  /** The most that the answer may have, in tokens: told to the vendor always, since so much is held. */
  outputTokens: number
  /** Opaque, stable per end user: keeps one end user's cached prefixes from another (contract: Prompt caching). */
  cacheToken: string
}

/** Where a call goes, and with whose credential. */
export interface Target {
  vendor: string
  baseUrl: string
  apiKey: string
  /** The account's own credential; absent is the platform's. */
  byokId?: string | undefined
  /** What else the vendor's credential carries: endpoint and deployment, region, service account. */
  config?: Record<string, unknown> | undefined
  /** The secrets in `config`, which a vendor may quote; the API key is always one. */
  secrets?: readonly string[] | undefined
}

/** A whole answer in the language of the system. */
export interface ChatAnswer {
  completion: ChatCompletion
  /** Absent when the vendor did not say. */
  usage: Usage | undefined
}

/** Reads one streamed answer, event by event: `call-chat` cuts the bytes into events. */
export interface ChatTranslator {
  /** The chunks of one event. Throws UpstreamFailure when the vendor reports an error. */
  read(event: SseEvent): ChatChunk[]
  /** Call after the last event: chunks still owed. Throws UpstreamFailure when the answer is not whole. */
  end(): ChatChunk[]
  /** Every choice has ended: of what follows only the usage belongs to the answer. */
  readonly isFinished: boolean
  /** There is nothing to wait for: the answer is finished and its usage told, or the vendor said that this was all. */
  readonly isOver: boolean
  /** The last usage that the vendor told. */
  readonly usage: Usage | undefined
  /** Whether `usage` counts the whole answer; else it says how far the vendor was when it told it. */
  readonly isUsageFinal: boolean
  /** Whether the vendor said that it thinks; undefined where it never says so before its usage. */
  readonly thinks: boolean | undefined
}

/** One wire format: request out, answer back, stream back, errors. */
export interface ChatAdapter {
  /** Throws Problem, naming the parameter, for what the vendor cannot do. */
  buildRequest(
    call: ChatCall,
    target: Target,
    services: AdapterServices,
  ): UpstreamRequest | Promise<UpstreamRequest>
  /** Throws UpstreamFailure when the body is no answer. */
  readAnswer(body: Buffer, call: ChatCall, target: Target): ChatAnswer
  openTranslator(call: ChatCall, target: Target): ChatTranslator
  /** An answer with an error status, as a failure. */
  readFailure(status: number, headers: IncomingHttpHeaders, body: Buffer, call: ChatCall): UpstreamFailure
  /**
   * The call without what the vendor refused and the client can do without, to be made in its place; undefined where
   * there is no such thing.
   */
  relent?(failure: UpstreamFailure, call: ChatCall): ChatCall | undefined
}
