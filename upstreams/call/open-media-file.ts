import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { HttpRequest } from '../chat-adapter.ts'
import { kindOfStatus, readRetryAfter } from '../formats/shared/failure.ts'
import { keyHeader } from '../formats/shared/media-files.ts'
import type { Cancellation } from '../http/cancellation.ts'
import { exchange, type Timeouts, type UpstreamAnswer } from '../http/exchange.ts'
import type { MediaFile } from '../media-adapter.ts'
import type { Target } from '../targets.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import { streamOf } from './media-answer.ts'
import type { Upstreams } from './open-upstreams.ts'

/** A generated file that is being downloaded from the vendor. */
export interface OpenMediaFile {
  /** Must be read or destroyed. Fails with UpstreamFailure, `broken` if the file exceeds the limit. */
  body: Readable
  /** The type that the vendor reports, which can be wrong. */
  contentType: string | undefined
  /** The size that the vendor reports, or undefined. */
  bytes: number | undefined
}

const maxRedirects = 3

/** Maximum duration of a download, in milliseconds, even if bytes keep arriving. */
const totalMs = 3_600_000

/**
 * Opens a generated file of at most `maxBytes`. The credential is sent only to the vendor's own address, and not to the
 * target of a redirect. Every other address must be public (docs/behaviour.md). Throws UpstreamFailure with secrets
 * redacted.
 */
export async function openMediaFile(
  upstreams: Upstreams,
  options: { target: Target; file: MediaFile; maxBytes: number; cancellation: Cancellation },
): Promise<OpenMediaFile> {
  const { target, file, maxBytes } = options
  if ('content' in file) return openContent(file, maxBytes)
  try {
    const answer = await download(upstreams, { ...options, file })
    const { headers, bytes } = answer
    const length = Number(headers['content-length'])
    return {
      body: streamOf(bytes),
      contentType: file.contentType ?? headers['content-type'],
      bytes: Number.isSafeInteger(length) ? length : undefined,
    }
  } catch (error) {
    throw error instanceof UpstreamFailure ? error.redactFor(target) : error
  }
}

function openContent({ content, contentType }: Extract<MediaFile, { content: unknown }>, maxBytes: number) {
  if (!Buffer.isBuffer(content)) return { body: content, contentType, bytes: undefined }
  if (content.length > maxBytes) throw tooLong()
  return { body: Readable.from([content], { objectMode: false }), contentType, bytes: content.length }
}

function tooLong(): UpstreamFailure {
  return new UpstreamFailure('broken', { message: 'the file is too long' })
}

/** A request for a file, and the HTTP client that may send it. */
interface FileRequest {
  dispatcher: Dispatcher
  request: HttpRequest
}

/** Resolves to the response with the file, after at most three redirects. */
async function download(
  upstreams: Upstreams,
  {
    target,
    file,
    maxBytes,
    cancellation,
  }: {
    target: Target
    file: Exclude<MediaFile, { content: unknown }>
    maxBytes: number
    cancellation: Cancellation
  },
): Promise<UpstreamAnswer> {
  const { firstByteMs, idleMs } = upstreams.timeouts
  const timeouts: Timeouts = { firstByteMs, idleMs, totalMs }
  let next =
    'path' in file ? requestToVendor(upstreams, target, file) : requestToPublicAddress(upstreams, file.url)
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const answer = await exchange(next.dispatcher, next.request, {
      timeouts,
      cancellation,
      limitBytes: maxBytes,
    })
    const { status, headers, bytes } = answer
    if (status === 200) return answer
    bytes.stop()
    const location = status >= 300 && status < 400 ? headers.location : undefined
    const base = `${next.request.origin}${next.request.path}`
    if (typeof location !== 'string' || !URL.canParse(location, base)) throw refusal(answer)
    next = requestToPublicAddress(upstreams, new URL(location, base).href)
  }
  throw new UpstreamFailure('broken', { message: 'the file was redirected too often' })
}

function refusal({ status, headers }: UpstreamAnswer): UpstreamFailure {
  const message = `the file could not be had: its server answered ${status}`
  const kind = kindOfStatus(status)
  const retryAfterSeconds = readRetryAfter(headers)
  // If the server refuses the file, the client has made no mistake.
  return new UpstreamFailure(kind === 'request' ? 'broken' : kind, { message, status, retryAfterSeconds })
}

const accept = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'rubicon' }

/** Returns a request to the vendor, with the credential. */
function requestToVendor(
  { dispatcher, guardedFiles }: Upstreams,
  target: Target,
  { path, key }: Extract<MediaFile, { path: string }>,
): FileRequest {
  const { origin } = new URL(target.baseUrl)
  const headers = { ...accept, ...keyHeader(key, target.apiKey) }
  return {
    dispatcher: target.byokId ? guardedFiles : dispatcher,
    request: { origin, path, method: 'GET', headers },
  }
}

/** Returns a request to an address that the vendor chose, without a credential. */
function requestToPublicAddress({ guardedFiles }: Upstreams, address: string): FileRequest {
  const { origin, pathname, search, protocol } = new URL(address)
  if (protocol !== 'https:' && protocol !== 'http:') {
    throw new UpstreamFailure('broken', { message: 'the file has no address over HTTP' })
  }
  return {
    dispatcher: guardedFiles,
    request: { origin, path: `${pathname}${search}`, method: 'GET', headers: accept },
  }
}
