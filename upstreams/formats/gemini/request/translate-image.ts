import { Problem } from '../../../../schema/errors.ts'
import { readDataUri } from '../../shared/request/read-data-uri.ts'
import type { Part } from '../wire.ts'
import type { Images } from './fetch-images.ts'

const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif']

/** An image, inline: from a data URI, or as it was fetched. Throws `invalid_request`, naming `param`. */
export function translateImage(url: string, param: string, images: Images): Part {
  const inline = readInline(url) ?? images.get(url)
  if (!inline) throw refuse(param, 'An image is an https:// address or a data: URI in base64.')
  const { mimeType, data } = inline
  if (!imageTypes.includes(mimeType)) {
    throw refuse(param, `The model takes ${imageTypes.join(', ')}, not ${mimeType || 'this'}.`)
  }
  return { inlineData: { mimeType, data } }
}

function readInline(url: string): { mimeType: string; data: string } | undefined {
  const inline = readDataUri(url)
  if (!inline) return undefined
  const { type, data } = inline
  return { mimeType: type === 'image/jpg' ? 'image/jpeg' : type, data }
}

function refuse(param: string, message: string): Problem {
  return new Problem('invalid_request', { param, message })
}
