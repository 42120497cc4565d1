import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { MediaRefused } from '../../domain/media/bound-source.ts'
import { maxResultBytes, requireStorage } from '../../domain/media/media.ts'
import { type StoredMedia, storeMedia } from '../../domain/media/store-media.ts'
import { joinByTurns } from '../../platform/join-by-turns.ts'
import { printBase64 } from '../../platform/json/print-base64.ts'
import { Problem } from '../../schema/errors.ts'
import { type OpenMediaFile, openMediaFile } from '../../upstreams/call/open-media-file.ts'
import type { MediaFile } from '../../upstreams/media-adapter.ts'
import type { Target } from '../../upstreams/targets.ts'
import { UpstreamFailure } from '../../upstreams/upstream-failure.ts'
import type { Edge } from '../edge.ts'
import type { ImageRun } from './image-run.ts'
import type { MadeImages } from './make-images.ts'

/** An image in the response. */
export interface ImageData {
  url?: string
  /** The image in base64, as a JSON string. */
  b64_json?: Buffer
}

/** The delivery of one run's images. */
interface Delivery {
  run: ImageRun
  target: Target
  /** Memory that the remaining images may use together, in bytes. */
  leftBytes: number
}

/** Delays before a failed delivery is retried, in milliseconds. */
const pausesMs = [200, 1_000]

/**
 * Fetches the images, and stores them or puts them into the response. Resolves to at least one image, in order. Images
 * that cannot be fetched are left out. Throws the first failure if no image can be fetched.
 */
export async function deliverImages(edge: Edge, run: ImageRun, made: MadeImages): Promise<ImageData[]> {
  const { target } = made
  const { share } = run
  const { own, platform } = edge.upstreams.limits
  const leftBytes = (target.byokId ? own : platform).wholeBytes
  const delivery: Delivery = { run, target, leftBytes }
  // Images in memory are decoded and encoded on the event loop.
  if (run.request.format !== 'url' || made.files.some(file => 'content' in file)) await share?.beginTurn()
  const delivered: PromiseSettledResult<ImageData>[] = []
  const put = isStored(edge, run) ? host : show
  const deliver = (file: MediaFile) => again(file, () => put(edge, delivery, file))
  if (isStored(edge, run)) delivered.push(...(await Promise.allSettled(made.files.map(deliver))))
  // Images in memory are processed one after the other, so that together they stay within the limit.
  else for (const file of made.files) delivered.push(...(await Promise.allSettled([deliver(file)])))
  const images = delivered.flatMap(image => (image.status === 'fulfilled' ? [image.value] : []))
  if (images.length > 0) return images
  throw delivered.find(image => image.status === 'rejected')?.reason
}

function isStored({ media }: Edge, { request }: ImageRun): boolean {
  return media.storage !== undefined && request.format !== 'b64_json'
}

/** Retries a delivery. The content of a stream can be read only once, so its delivery is not retried. */
async function again<Result>(file: MediaFile, run: () => Promise<Result>): Promise<Result> {
  const isOnce = 'content' in file && !Buffer.isBuffer(file.content)
  for (let tries = 0; ; tries++) {
    try {
      return await run()
    } catch (error) {
      const pauseMs = pausesMs[tries]
      if (isOnce || pauseMs === undefined || isFinal(error)) throw error
      await sleep(pauseMs)
    }
  }
}

async function host(edge: Edge, delivery: Delivery, file: MediaFile): Promise<ImageData> {
  const { run, target } = delivery
  const { accountId } = run.admission.allowed.key
  const isOwn = target.byokId !== undefined
  const maxBytes = maxResultBytes(edge.media, isOwn)
  const { body, contentType, bytes } = await openFile(edge, delivery, { file, maxBytes })
  try {
    const stored = await storeMedia(edge.media, {
      accountId,
      kind: 'result',
      isOwn,
      source: body,
      contentType,
      bytes,
      maxBytes,
      accepts: type => type.startsWith('image/'),
      requestId: run.record.requestId,
    })
    if (run.request.format === 'url') return { url: stored.url }
    return { url: stored.url, b64_json: await readStored(edge, delivery, stored) }
  } catch (error) {
    throw error instanceof MediaRefused ? refusalOf(error) : error
  }
}

/** Returns the image itself, if the client wants it, or if it is not stored and has no URL at the vendor. */
async function show(edge: Edge, delivery: Delivery, file: MediaFile): Promise<ImageData> {
  const isAddress = delivery.run.request.format === 'url'
  if (isAddress && 'url' in file) return { url: file.url }
  const opened = await openFile(edge, delivery, { file, maxBytes: delivery.leftBytes })
  const content = await readWhole(opened.body)
  takeMemory(delivery, content.length)
  if (!isAddress) return { b64_json: await printBase64(content) }
  return { url: `data:${opened.contentType ?? 'image/png'};base64,${content.toString('base64')}` }
}

/** Reads a stored image for a response that includes it. Throws `broken` if it is too large. */
async function readStored(
  { media }: Edge,
  delivery: Delivery,
  { name, bytes }: StoredMedia,
): Promise<Buffer> {
  if (bytes > delivery.leftBytes) throw new NotAnImage('broken', { message: 'the image is too large' })
  takeMemory(delivery, bytes)
  return printBase64(await readWhole(await requireStorage(media).read(name)))
}

/** Reads the content of a stream. Node's own consumers would copy it three times, each time in one piece. */
async function readWhole(stream: Readable): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part)
  return joinByTurns(parts)
}

/** Counts the memory of an image that the response contains in base64, which takes four bytes for three. */
function takeMemory(delivery: Delivery, bytes: number): void {
  delivery.leftBytes -= bytes
  delivery.run.share?.addBytes(Math.ceil((bytes * 4) / 3))
}

/** Opens a file. A missing file is a failure of the vendor, not of the credential. */
async function openFile(
  { upstreams }: Edge,
  { run, target }: Delivery,
  wanted: { file: MediaFile; maxBytes: number },
): Promise<OpenMediaFile> {
  try {
    const cancellation = run.client.cancellation.fork()
    return await openMediaFile(upstreams, { ...wanted, target, cancellation })
  } catch (error) {
    const status = error instanceof UpstreamFailure ? error.details.status : undefined
    if (!(error instanceof UpstreamFailure) || (status !== 404 && status !== 410)) throw error
    throw new UpstreamFailure('broken', error.details)
  }
}

class NotAnImage extends UpstreamFailure {}

/** Whether a retry would fail in the same way. */
function isFinal(error: unknown): boolean {
  const isRefused = error instanceof Problem && error.errorName === 'allowance_exceeded'
  return isRefused || error instanceof NotAnImage
}

function refusalOf(refused: MediaRefused): UpstreamFailure {
  const message = `the image ${refused.message}`
  return refused.reason === 'cut_short'
    ? new UpstreamFailure('broken', { message })
    : new NotAnImage('broken', { message })
}
