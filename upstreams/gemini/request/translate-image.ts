import { Problem } from '../../../schema/errors.ts'
import type { Part } from '../wire.ts'
import type { Images } from './fetch-images.ts'

const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif']
const base64 = /^[A-Za-z0-9+/]+={0,2}$/

/** An image, inline: from a data URI, or as it was fetched. Throws `invalid_request`, naming `param`. */
export function translateImage(url: string, param: string, images: Images): Part {
  const inline = /^data:/i.test(url) ? readDataUri(url) : images.get(url)
  if (!inline) throw refuse(param, 'An image is an https:// address or a data: URI in base64.')
  const { mimeType, data } = inline
  if (!imageTypes.includes(mimeType)) {
    throw refuse(param, `The model takes ${imageTypes.join(', ')}, not ${mimeType || 'this'}.`)
  }
  return { inlineData: { mimeType, data } }
}

/** Types in capitals, parameters and white space are tolerated, as other vendors do. */
function readDataUri(uri: string): { mimeType: string; data: string } | undefined {
  const comma = uri.indexOf(',')
  const [type = '', ...parameters] = uri
    .slice('data:'.length, Math.max(comma, 0))
    .toLowerCase()
    .split(';')
    .map(part => part.trim())
  const data = uri.slice(comma + 1).replace(/\s+/g, '')
  if (!parameters.includes('base64') || !base64.test(data)) return undefined
  return { mimeType: type === 'image/jpg' ? 'image/jpeg' : type, data }
}

function refuse(param: string, message: string): Problem {
  return new Problem('invalid_request', { param, message })
}
