import type Anthropic from '@anthropic-ai/sdk'
import { Problem } from '../../../schema/errors.ts'
import type { ImageBlock } from '../wire.ts'

const mediaTypes = new Map<string, Anthropic.Base64ImageSource['media_type']>([
  ['image/png', 'image/png'],
  ['image/jpeg', 'image/jpeg'],
  ['image/jpg', 'image/jpeg'],
  ['image/gif', 'image/gif'],
  ['image/webp', 'image/webp'],
])

const base64 = /^[A-Za-z0-9+/]+={0,2}$/

/** An image, inline or at an HTTPS address that the vendor fetches. Throws `invalid_request`, naming `param`. */
export function translateImage(url: string, param: string): ImageBlock {
  if (/^https:\/\//i.test(url) && URL.canParse(url)) return { type: 'image', source: { type: 'url', url } }
  if (/^data:/i.test(url)) return { type: 'image', source: readDataUri(url, param) }
  const message = 'An image is a data: URI or an https:// address.'
  throw new Problem('invalid_request', { param, message })
}

/** Types in capitals, parameters and white space are tolerated, as other vendors do. */
function readDataUri(uri: string, param: string): Anthropic.Base64ImageSource {
  const comma = uri.indexOf(',')
  const [type = '', ...parameters] = uri
    .slice('data:'.length, Math.max(comma, 0))
    .toLowerCase()
    .split(';')
    .map(part => part.trim())
  const mediaType = mediaTypes.get(type)
  const refuse = (message: string) => new Problem('invalid_request', { param, message })
  if (!mediaType) throw refuse('An image is one of image/png, image/jpeg, image/gif, image/webp.')
  const data = uri.slice(comma + 1).replace(/\s+/g, '')
  if (!parameters.includes('base64') || !base64.test(data)) throw refuse('A data: URI must be in base64.')
  return { type: 'base64', media_type: mediaType, data }
}
