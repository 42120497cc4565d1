import type { AdapterServices, FetchedImage } from '../../chat-adapter.ts'
import type { MediaCall } from '../../media-adapter.ts'
import { readDataUri } from './content.ts'
import { invalid } from './refusals.ts'

/**
 * Loads the input images of a request, in their order, for vendors that accept only inline images. URLs are downloaded,
 * and data URIs are decoded. Throws `invalid_request` with the image, and UpstreamFailure `aborted`.
 */
export async function loadImages(
  { parameters }: MediaCall,
  services: AdapterServices,
): Promise<FetchedImage[]> {
  const sources = Array.isArray(parameters.image_urls) ? parameters.image_urls.map(String) : []
  const addresses = new Map<string, string>()
  for (const [index, source] of sources.entries()) {
    if (!/^data:/i.test(source) && !addresses.has(source)) addresses.set(source, `image_urls[${index}]`)
  }
  const fetched = await services.fetchImages(addresses)
  return sources.map((source, index) => fetched.get(source) ?? readInline(source, `image_urls[${index}]`))
}

function readInline(source: string, param: string): FetchedImage {
  const inline = readDataUri(source)
  if (inline) return { mimeType: inline.type === 'image/jpg' ? 'image/jpeg' : inline.type, data: inline.data }
  throw invalid(param, `${param} must be a data URI in base64.`)
}

/** Returns the file name of an image in a form: `image-0.png`. */
export function fileNameOf({ mimeType }: FetchedImage, index: number): string {
  return `image-${index}.${/^image\/([a-z0-9]+)$/.exec(mimeType)?.[1] ?? 'bin'}`
}
