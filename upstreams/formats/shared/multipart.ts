import type { FetchedImage } from '../../chat-adapter.ts'
import { fileNameOf } from './input-images.ts'

/** An encoded form, and its content type, which contains the boundary. */
export interface EncodedForm {
  body: Buffer
  contentType: string
}

/** Encodes `multipart/form-data`: fields whose value is undefined are left out, objects are sent as JSON. */
export async function encodeForm(
  fields: Readonly<Record<string, unknown>>,
  images: readonly { field: string; image: FetchedImage }[],
): Promise<EncodedForm> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue
    form.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
  }
  for (const [index, { field, image }] of images.entries()) {
    const bytes = Buffer.from(image.data, 'base64')
    form.append(field, new Blob([bytes], { type: image.mimeType }), fileNameOf(image, index))
  }
  const encoded = new Response(form)
  const contentType = encoded.headers.get('content-type') ?? 'multipart/form-data'
  return { body: Buffer.from(await encoded.arrayBuffer()), contentType }
}
