import type Anthropic from '@anthropic-ai/sdk'
import { Problem } from '../../../../schema/errors.ts'
import { readDataUri } from '../../shared/request/read-data-uri.ts'
import type { ImageBlock } from '../wire.ts'

const mediaTypes = new Map<string, Anthropic.Base64ImageSource['media_type']>([
  ['image/png', 'image/png'],
  ['image/jpeg', 'image/jpeg'],
  ['image/jpg', 'image/jpeg'],
  ['image/gif', 'image/gif'],
  ['image/webp', 'image/webp'],
])

/** An image, inline or at an HTTPS address that the vendor fetches. Throws `invalid_request`, naming `param`. */
export function translateImage(url: string, param: string): ImageBlock {
  if (/^https:\/\//i.test(url) && URL.canParse(url)) return { type: 'image', source: { type: 'url', url } }
  const refuse = (message: string) => new Problem('invalid_request', { param, message })
  if (!/^data:/i.test(url)) throw refuse('An image is a data: URI or an https:// address.')
  const inline = readDataUri(url)
  if (!inline) throw refuse('A data: URI must be in base64.')
  const mediaType = mediaTypes.get(inline.type)
  if (!mediaType) throw refuse('An image is one of image/png, image/jpeg, image/gif, image/webp.')
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: inline.data } }
}
