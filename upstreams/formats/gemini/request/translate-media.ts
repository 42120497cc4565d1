import { isRecord } from '../../../../platform/is-record.ts'
import { Problem } from '../../../../schema/errors.ts'
import type { ContentPart } from '../../../../schema/wire/chat.ts'
import { readDataUri } from '../../shared/request/read-data-uri.ts'
import type { Part } from '../wire.ts'

const documentTypes = ['application/pdf', 'text/plain']
const soundFormats = ['wav', 'mp3', 'aiff', 'aac', 'ogg', 'flac']
const base64 = /^[A-Za-z0-9+/]+={0,2}$/

/** A `file` part, inline: the vendor fetches none. Throws Problem, naming the part. */
export function translateFile(part: ContentPart, at: string): Part {
  const file: unknown = Reflect.get(part, 'file')
  const data = isRecord(file) ? file.file_data : undefined
  if (typeof data !== 'string') {
    const message = 'A document is a data: URI in file_data.'
    throw new Problem('unsupported_parameter', { param: `${at}.file`, message })
  }
  const inline = readDataUri(data)
  if (inline && documentTypes.includes(inline.type)) {
    return { inlineData: { mimeType: inline.type, data: inline.data } }
  }
  const message = `A document is a data: URI in base64, of type ${documentTypes.join(' or ')}.`
  throw new Problem('invalid_request', { param: `${at}.file.file_data`, message })
}

/** An `input_audio` part, inline. Throws `invalid_request`, naming what is wrong with it. */
export function translateSound(part: ContentPart, at: string): Part {
  const sound: unknown = Reflect.get(part, 'input_audio')
  const { data, format } = isRecord(sound) ? sound : {}
  const refuse = (field: string, message: string) =>
    new Problem('invalid_request', { param: `${at}.input_audio.${field}`, message })
  if (!soundFormats.includes(String(format))) {
    throw refuse('format', `A sound is one of ${soundFormats.join(', ')}.`)
  }
  if (typeof data !== 'string' || !base64.test(data)) throw refuse('data', 'A sound is in base64.')
  return { inlineData: { mimeType: `audio/${format}`, data } }
}
