import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { MediaEntry } from '../schema/catalog/entry.ts'
import type { AdapterServices, HttpRequest } from './chat-adapter.ts'
import type { Target } from './targets.ts'
import type { UpstreamFailure } from './upstream-failure.ts'

/**
 * One wire format of image, video and audio vendors: requests and answers. An adapter makes no calls:
 * `call/call-media.ts` sends the requests that it builds and passes it the answers.
 *
 * `build…` throw Problem with the parameter that the vendor does not support, and UpstreamFailure if the credential
 * does not fit the format. `read…` throw UpstreamFailure if the answer is invalid.
 */
export interface MediaAdapter {
  buildSubmit(call: MediaCall, target: Target, services: AdapterServices): MediaRequest
  readSubmit(answer: MediaAnswer, call: MediaCall, target: Target): Promise<MediaState>
  /** Absent if nothing is polled. */
  buildPoll?(known: KnownTask, services: AdapterServices): MediaRequest
  readPoll?(answer: MediaAnswer, known: KnownTask): Promise<MediaState>
  /** Absent if the vendor cannot cancel. */
  buildCancel?(known: KnownTask, services: AdapterServices): MediaRequest
  /** Reads an answer with an error status. */
  readFailure(status: number, headers: IncomingHttpHeaders, body: Buffer, call: MediaCall): UpstreamFailure
}

/** A request, or a promise of one if inputs must be fetched first. */
export type MediaRequest = HttpRequest | Promise<HttpRequest>

/** A generation that a vendor has accepted. */
export interface KnownTask {
  upstream: UpstreamTask
  call: MediaCall
  target: Target
}

/** One generation to submit to a vendor. */
export interface MediaCall {
  entry: MediaEntry
  /** The parameters, valid by the model's schema and with its defaults. */
  parameters: Readonly<Record<string, unknown>>
  /** An opaque text per end user, for vendors that require one. */
  cacheToken?: string | undefined
}

/** The state of a generation. */
export type MediaState =
  | {
      status: 'running'
      upstream: UpstreamTask
      /** Percent, a whole number from 0 to 100, if the vendor reports it. */
      progress?: number | undefined
      /** Milliseconds until the next poll, if it differs from the model's `poll_ms`. */
      pollAfterMs?: number | undefined
    }
  | { status: 'done'; files: MediaFile[] }
  | {
      /** The call succeeded, and the generation failed. */
      status: 'failed'
      code: GenerationFault
      /** The vendor's message, or Rubicon's if the vendor sent none. */
      message: string
    }

/** Why a generation failed, for clients. */
export type GenerationFault =
  /** The vendor refused its content. */
  | 'content_policy'
  /** The vendor could not generate it. */
  | 'generation_failed'
  /** It was cancelled at the vendor. */
  | 'cancelled'
  /** The vendor no longer knows it. */
  | 'upstream_lost'

/** The data with which later calls find a generation at its vendor. Plain JSON. */
export interface UpstreamTask {
  readonly id: string
  /** Whether the next poll requests the result, which some vendors serve at a different address than the state. */
  readonly ask?: 'result' | undefined
  /** Number of polls in a row that the vendor answered with 404. Adapters do not see it. */
  readonly unknownPolls?: number | undefined
  /** The ID of the result in the vendor's paths, if it differs from `id`. */
  readonly reference?: string | undefined
}

/** A generated file. With `url` or `path` it is plain JSON. */
export type MediaFile =
  /** A URL that needs no credential. */
  | { url: string; contentType?: string | undefined }
  /** A path with its query at the vendor. The credential is sent in the header `key`. */
  | { path: string; key: CredentialHeader; contentType?: string | undefined }
  /** The content from the answer, whole or as a stream. A stream must be read or destroyed. */
  | { content: Buffer | Readable; contentType?: string | undefined }

/** The header that carries a credential, and the scheme before it, which can be empty. */
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
  /** The body as it arrives. Fails with UpstreamFailure, `broken` if it is too long. */
  stream(): Readable
}
