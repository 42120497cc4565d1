import { type Dispatcher, request } from 'undici'
import { Problem } from '../../schema/errors.ts'
import type { FetchedImage } from '../chat-adapter.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import type { Cancellation } from './cancellation.ts'
import { AddressRefused } from './guard-address.ts'

/** The number of bytes that may still be downloaded for one request. */
export interface ByteBudget {
  leftBytes: number
}

const timeoutMs = 15_000
const maxRedirects = 3

/**
 * Downloads an image for a vendor that takes images only inline. `dispatcher` must be guarded, because a customer names
 * the address. The type is determined by the first bytes, not by the server's `content-type`. Throws `invalid_request`
 * with `param` if the image cannot be downloaded, and UpstreamFailure `aborted`.
 */
export async function fetchImage(
  dispatcher: Dispatcher,
  url: string,
  {
    param,
    budget,
    cancellation,
    signal,
  }: { param: string; budget: ByteBudget; cancellation: Cancellation; signal: AbortSignal },
): Promise<FetchedImage> {
  try {
    const bytes = await download(dispatcher, url, {
      budget,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    return present(bytes)
  } catch (error) {
    if (cancellation.isCancelled) throw new UpstreamFailure('aborted', { cause: error })
    throw refusal(param, error)
  }
}

/** Does the same for an image in memory. Throws `invalid_request` with `param` if it is not an image, or too large. */
export function readImage(
  bytes: Buffer,
  { param, budget }: { param: string; budget: ByteBudget },
): FetchedImage {
  try {
    budget.leftBytes -= bytes.length
    if (budget.leftBytes < 0) throw new NoImage('it is too large')
    return present(bytes)
  } catch (error) {
    throw refusal(param, error)
  }
}

function present(bytes: Buffer): FetchedImage {
  const mimeType = sniffImage(bytes)
  if (!mimeType) throw new NoImage('it is not an image')
  return { mimeType, data: bytes.toString('base64') }
}

function refusal(param: string, cause: unknown): Problem {
  const message = `The image could not be fetched: ${reasonOf(cause)}.`
  return new Problem('invalid_request', { param, message, cause })
}

/** The reason why there is no image. The message is for the client. */
class NoImage extends Error {}

async function download(
  dispatcher: Dispatcher,
  url: string,
  { budget, signal }: { budget: ByteBudget; signal: AbortSignal },
): Promise<Buffer> {
  let address = url
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    if (!URL.canParse(address) || !/^https?:/i.test(address)) throw new NoImage('its address is not https://')
    const headers = { accept: 'image/*', 'accept-encoding': 'identity', 'user-agent': 'rubicon' }
    const { statusCode, headers: answered, body } = await request(address, { dispatcher, headers, signal })
    if (statusCode === 200) return readBody(body, budget)
    await body.dump()
    const next = statusCode >= 300 && statusCode < 400 ? answered.location : undefined
    if (typeof next !== 'string') throw new NoImage(`its server answered ${statusCode}`)
    address = new URL(next, address).href
  }
  throw new NoImage('it was redirected too often')
}

async function readBody(body: AsyncIterable<Buffer>, budget: ByteBudget): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of body) {
    budget.leftBytes -= part.length
    if (budget.leftBytes < 0) throw new NoImage('it is too large')
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function reasonOf(error: unknown): string {
  if (error instanceof NoImage) return error.message
  if (error instanceof AddressRefused) return 'its address is not a public one, over TLS'
  if (error instanceof Error && error.name === 'TimeoutError') return 'its server took too long'
  return 'its server could not be reached'
}

/** The bytes by which each type is recognised, and their offset. */
const signatures: [mimeType: string, offset: number, bytes: string][] = [
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF87a'],
  ['image/gif', 0, 'GIF89a'],
  ['image/webp', 8, 'WEBP'],
  ['image/heic', 4, 'ftypheic'],
  ['image/heic', 4, 'ftypheix'],
  ['image/heif', 4, 'ftypmif1'],
]

/** Returns the MIME type of an image by its first bytes, or undefined for anything else. */
export function sniffImage(bytes: Buffer): string | undefined {
  const found = signatures.find(
    ([, offset, expected]) => bytes.toString('latin1', offset, offset + expected.length) === expected,
  )
  return found?.[0]
}
