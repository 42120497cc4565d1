import {
  type Fields,
  readChoice,
  readRecord,
  readText,
  refuseField,
  refuseUnknownNames,
} from './read-fields.ts'

const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** The source of an image or a document: the address or the data that tells it from others. */
export function parseMedium(block: Fields, type: 'image' | 'document'): string {
  const source = readRecord(block, 'source')
  if (!source) throw refuseField(`${block.at}.source`, 'Field required')
  const kind = readChoice(
    source,
    'type',
    type === 'image' ? ['base64', 'url', 'file'] : ['base64', 'url', 'text', 'file'],
  )
  if (kind === 'url') return readAddress(source)
  if (kind === 'file') return readText(source, 'file_id')
  refuseUnknownNames(source, ['type', 'media_type', 'data'])
  const types = { image: imageTypes, document: [kind === 'text' ? 'text/plain' : 'application/pdf'] }
  readChoice(source, 'media_type', types[type])
  const data = readText(source, 'data')
  if (kind === 'base64' && (data === '' || !isBase64(data)))
    throw refuseField(`${source.at}.base64`, 'invalid base64 data')
  return data
}

/** Unpadded data is taken as well. */
function isBase64(data: string): boolean {
  return base64.test(data.padEnd(Math.ceil(data.length / 4) * 4, '='))
}

function readAddress(source: Fields): string {
  refuseUnknownNames(source, ['type', 'url'])
  const url = readText(source, 'url')
  if (!URL.canParse(url)) throw refuseField(`${source.at}.url`, 'Input should be a valid URL')
  if (new URL(url).protocol !== 'https:')
    throw refuseField(`${source.at}.url`, 'Only HTTPS URLs are supported.')
  return url
}
