import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { MediaEntry } from '../schema/catalog/entry.ts'
import type { AdapterServices, HttpRequest } from './chat-adapter.ts'
import type { Target } from './targets.ts'
import type { UpstreamFailure } from './upstream-failure.ts'

/**
 * One wire format of image, video and audio vendors: the requests out, and what their answers say. An adapter
 * connects to nothing: `call/call-media.ts` sends what it builds and gives it what came back.
 *
 * `build…` throw Problem, naming the parameter, for what the vendor cannot do, and UpstreamFailure where the
 * credential is not one of this format. `read…` throw UpstreamFailure where the answer is not one.
 */
export interface MediaAdapter {
  buildSubmit(call: MediaCall, target: Target, services: AdapterServices): MediaRequest
  readSubmit(answer: MediaAnswer, call: MediaCall, target: Target): Promise<MediaState>
  /** Absent where nothing is polled. */
  buildPoll?(known: KnownTask, services: AdapterServices): MediaRequest
  readPoll?(answer: MediaAnswer, known: KnownTask): Promise<MediaState>
  /** Absent where the vendor cannot cancel. */
  buildCancel?(known: KnownTask, services: AdapterServices): MediaRequest
  /** Reads an answer with an error status. */
  readFailure(status: number, headers: IncomingHttpHeaders, body: Buffer, call: MediaCall): UpstreamFailure
}

/** A request that takes time to build where inputs must be fetched first. */
export type MediaRequest = HttpRequest | Promise<HttpRequest>

/** A generation that a vendor has taken. */
export interface KnownTask {
  upstream: UpstreamTask
  call: MediaCall
  target: Target
}

/** One generation on its way to a vendor. */
export interface MediaCall {
  entry: MediaEntry
  /** As the model's schema allows them, defaults filled in. */
  parameters: Readonly<Record<string, unknown>>
  /** Opaque and stable per end user: identifies the end user to vendors that want it. */
  cacheToken?: string | undefined
}

/** Where a generation stands. */
export type MediaState =
  | {
      status: 'running'
      upstream: UpstreamTask
      /** Percent, a whole number from 0 to 100, if the vendor reports it. */
      progress?: number | undefined
      /** Milliseconds until the next poll, where it is not the model's `poll_ms`. */
      pollAfterMs?: number | undefined
    }
  | { status: 'done'; files: MediaFile[] }
  | {
      /** The generation failed; the call did not. */
      status: 'failed'
      code: GenerationFault
      /** The vendor's words, or ours where it says none. */
      message: string
    }

/** Why a generation failed, for clients. */
export type GenerationFault =
  /** It was refused for what it shows. */
  | 'content_policy'
  /** The vendor could not make it. */
  | 'generation_failed'
  /** It was cancelled at the vendor. */
  | 'cancelled'
  /** The vendor no longer knows it. */
  | 'upstream_lost'

/** What later calls need to find a generation at its vendor. Plain JSON. */
export interface UpstreamTask {
  readonly id: string
  /** Whether the next poll requests the result, which some vendors have at another address than the state. */
  readonly ask?: 'result' | undefined
  /** Number of polls in a row that the vendor answered with 404. Adapters do not see it. */
  readonly unknownPolls?: number | undefined
  /** Stands for the result in the vendor's paths, where that is not the id. */
  readonly reference?: string | undefined
}

/** A generated file. With `url` or `path` it is plain JSON. */
export type MediaFile =
  /** At an address that needs no credential. */
  | { url: string; contentType?: string | undefined }
  /** At the vendor: a path with its query, fetched with the credential in that header. */
  | { path: string; key: CredentialHeader; contentType?: string | undefined }
  /** In the answer itself, whole or as it arrives; a stream must be read or destroyed. */
  | { content: Buffer | Readable; contentType?: string | undefined }

/** The header that carries a credential, and the word before it; empty where there is none. */
export interface CredentialHeader {
  readonly header: string
  readonly scheme: string
}

/** A vendor's answer with a status of success. */
export interface MediaAnswer {
  status: number
  headers: IncomingHttpHeaders
  /** The body as a JSON object. Throws `broken` for anything else, and for a body that is too long. */
  json(): Promise<Record<string, unknown>>
  /** The body as it arrives. Errors with UpstreamFailure, `broken` where it is too long. */
  stream(): Readable
}
