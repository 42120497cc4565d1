import { isRecord } from '../../platform/checks.ts'
import type { AdapterServices, HttpRequest } from '../chat-adapter.ts'
import type { MediaAdapter, MediaAnswer, MediaCall, MediaFile, MediaState } from '../media-adapter.ts'
import type { Target } from '../targets.ts'
import { readPlainFailure } from './openai-chat/failure.ts'
import { unexpectedShape } from './shared/answer.ts'
import { loadImages } from './shared/input-images.ts'
import { fileAt, inlineFile, keyHeader, keyOf } from './shared/media-files.ts'
import { buildFields } from './shared/media-request.ts'
import { encodeForm } from './shared/multipart.ts'

/**
 * The images wire format of vendor_a and the vendors that are compatible with it: images from text with `POST
 * /images/generations`, and from other images with `POST /images/edits`, a form that contains them. The answer contains
 * the images or their URLs.
 */
export const openaiImages: MediaAdapter = {
  buildSubmit,
  readSubmit: readImages,
  readFailure: readPlainFailure,
}

async function buildSubmit(call: MediaCall, target: Target, services: AdapterServices): Promise<HttpRequest> {
  const model = call.entry.upstream.model
  const fields = { model, ...buildFields(call, ['image_urls']), user: call.cacheToken }
  const images = await loadImages(call, services)
  const headers = {
    ...keyHeader(keyOf(target), target.apiKey),
    accept: 'application/json',
    'accept-encoding': 'identity',
  }
  if (images.length === 0) {
    return {
      ...locate(target, '/images/generations'),
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(fields),
    }
  }
  const field = images.length > 1 ? 'image[]' : 'image'
  const { body, contentType } = await encodeForm(
    fields,
    images.map(image => ({ field, image })),
  )
  return { ...locate(target, '/images/edits'), headers: { ...headers, 'content-type': contentType }, body }
}

/** Returns an address below the vendor's base address. */
export function locate({ baseUrl }: Target, path: string): { origin: string; path: string } {
  const { origin, pathname } = new URL(baseUrl)
  return { origin, path: `${pathname.replace(/\/+$/, '')}${path}` }
}

/** Reads the images of an answer. Throws `broken` if it has none, or something else in their place. */
async function readImages(answer: MediaAnswer, _call: MediaCall, target: Target): Promise<MediaState> {
  const { data, output_format: format } = await answer.json()
  if (!Array.isArray(data) || data.length === 0) throw unexpectedShape()
  const contentType = typeof format === 'string' && /^[a-z0-9]+$/.test(format) ? `image/${format}` : undefined
  return { status: 'done', files: data.map(image => readImage(image, { target, contentType })) }
}

function readImage(
  image: unknown,
  { target, contentType }: { target: Target; contentType: string | undefined },
): MediaFile {
  if (!isRecord(image)) throw unexpectedShape()
  if (image.b64_json) return inlineFile(image.b64_json, contentType)
  return fileAt(image.url, target, { key: keyOf(target), contentType })
}
