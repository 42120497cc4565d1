import { isRecord } from '../../../../platform/is-record.ts'
import { Problem } from '../../../../schema/errors.ts'
import type { ContentPart } from '../../../../schema/wire/chat.ts'
import { readDataUri } from '../../shared/request/read-data-uri.ts'
import type { DocumentBlock } from '../wire.ts'

const longestTitle = 200

/** A `file` part as a document: a PDF or plain text, inline, or a PDF at an address. Throws Problem, naming the part. */
export function translateDocument(part: ContentPart, at: string): DocumentBlock {
  const file: unknown = Reflect.get(part, 'file')
  const { filename, ...rest } = isRecord(file) ? file : {}
  const title = typeof filename === 'string' && filename !== '' ? filename.slice(0, longestTitle) : undefined
  return { type: 'document', source: sourceOf(rest, `${at}.file`), title }
}

function sourceOf(file: Record<string, unknown>, at: string): DocumentBlock['source'] {
  const { file_data: data, file_url: url } = file
  if (typeof data === 'string') return inlineSource(data, `${at}.file_data`)
  if (typeof url === 'string' && /^https:\/\//i.test(url) && URL.canParse(url)) return { type: 'url', url }
  const message = 'A document is a data: URI in file_data or an https:// address in file_url.'
  throw new Problem('unsupported_parameter', { param: at, message })
}

function inlineSource(uri: string, param: string): DocumentBlock['source'] {
  const inline = readDataUri(uri)
  if (inline?.type === 'application/pdf') {
    return { type: 'base64', media_type: 'application/pdf', data: inline.data }
  }
  if (inline?.type === 'text/plain') {
    return { type: 'text', media_type: 'text/plain', data: Buffer.from(inline.data, 'base64').toString() }
  }
  const message = 'A document is a data: URI in base64, of type application/pdf or text/plain.'
  throw new Problem('invalid_request', { param, message })
}
