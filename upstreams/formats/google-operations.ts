import { isRecord } from '../../platform/checks.ts'
import type { AdapterServices, FetchedImage, HttpRequest } from '../chat-adapter.ts'
import type { KnownTask, MediaAdapter, MediaCall, MediaFile, MediaState } from '../media-adapter.ts'
import type { Target } from '../targets.ts'
import { locateModel } from './gemini/adapter.ts'
import { readFailure } from './gemini/failure.ts'
import { requireText, unexpectedShape } from './shared/answer.ts'
import { failedState } from './shared/generation-faults.ts'
import { loadImages } from './shared/input-images.ts'
import { fileAt, inlineFile, keyHeader } from './shared/media-files.ts'
import { buildFields } from './shared/media-request.ts'

const googleKey = { header: 'x-goog-api-key', scheme: '' }

/**
 * Videos by Google's long-running operations. `predictLongRunning` starts an operation, which is polled by its name,
 * and the videos are downloaded with the credential. The model's rules define the fields of `parameters`.
 */
export const googleOperations: MediaAdapter = {
  buildSubmit,
  readSubmit: async (answer, _call, target) => readOperation(await answer.json(), target),
  buildPoll,
  readPoll: async (answer, { target }) => readOperation(await answer.json(), target),
  readFailure,
}

async function buildSubmit(call: MediaCall, target: Target, services: AdapterServices): Promise<HttpRequest> {
  const images = (await loadImages(call, services)).map(presentImage)
  const { origin, path } = locateModel(target.baseUrl, call.entry.upstream.model)
  const instance = { prompt: requireText(call.parameters.prompt), ...placeImages(call, images) }
  const parameters = buildFields(call, ['prompt', 'image_urls'])
  return {
    origin,
    path: `${path}:predictLongRunning`,
    headers: { ...headersOf(target), 'content-type': 'application/json' },
    body: JSON.stringify({ instances: [instance], parameters }),
  }
}

interface InlineImage {
  bytesBase64Encoded: string
  mimeType: string
}

function presentImage({ data, mimeType }: FetchedImage): InlineImage {
  return { bytesBase64Encoded: data, mimeType }
}

/** Input images are the subjects of a video, or its first and last frame. */
function placeImages({ entry }: MediaCall, images: readonly InlineImage[]): Record<string, unknown> {
  const [image, lastFrame] = images
  if (!image) return {}
  if (entry.task !== 'reference-to-video') return lastFrame ? { image, lastFrame } : { image }
  return { referenceImages: images.map(each => ({ image: each, referenceType: 'asset' })) }
}

function headersOf({ apiKey }: Target): Record<string, string> {
  return { ...keyHeader(googleKey, apiKey), accept: 'application/json', 'accept-encoding': 'identity' }
}

function buildPoll({ upstream, target }: KnownTask): HttpRequest {
  const { origin, path } = locateModel(target.baseUrl, '')
  const base = path.slice(0, path.lastIndexOf('/models/'))
  return { origin, path: `${base}/${nameOf(upstream.id)}`, method: 'GET', headers: headersOf(target) }
}

/** `models/MODEL/operations/ID`. Throws `broken` if the vendor's name could lead to another path. */
function nameOf(name: unknown): string {
  const text = requireText(name)
  if (/^[\w-][\w.-]*(\/[\w-][\w.-]*)+$/.test(text)) return text
  throw unexpectedShape()
}

function readOperation(operation: Record<string, unknown>, target: Target): MediaState {
  const { done, error, response } = operation
  if (done !== true) return { status: 'running', upstream: { id: nameOf(operation.name) } }
  if (isRecord(error)) return failedState(undefined, error.message)
  const result = isRecord(response) ? (response.generateVideoResponse ?? response) : undefined
  if (!isRecord(result)) throw unexpectedShape()
  const samples = listOf(result.generatedSamples ?? result.videos)
  if (samples.length > 0) return { status: 'done', files: samples.map(sample => readSample(sample, target)) }
  const [reason] = listOf(result.raiMediaFilteredReasons)
  return failedState(result.raiMediaFilteredCount ? 'content_policy' : undefined, reason)
}

function readSample(sample: unknown, target: Target): MediaFile {
  const video = isRecord(sample) ? (sample.video ?? sample) : undefined
  if (!isRecord(video)) throw unexpectedShape()
  const contentType = 'video/mp4'
  if (video.bytesBase64Encoded) return inlineFile(video.bytesBase64Encoded, contentType)
  return fileAt(video.uri, target, { key: googleKey, contentType })
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
