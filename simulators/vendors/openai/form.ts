import type { Exchange } from '../../server/exchange.ts'
import type { Json, JsonRecord } from '../../server/json.ts'
import { refuse } from './errors.ts'

/** A form as it was sent: its fields, and its files by the field. */
export interface SentForm {
  readonly fields: JsonRecord
  readonly files: ReadonlyMap<string, readonly Buffer[]>
}

/** Reads `multipart/form-data`; `image[]` and `image` are one field. Refuses what is none. */
export async function readForm({ request, body }: Exchange): Promise<SentForm> {
  const type = request.headers['content-type'] ?? ''
  if (!type.startsWith('multipart/form-data')) {
    const message = `Unsupported content type: '${type}'. This API method only accepts 'multipart/form-data' requests, but you specified the header 'Content-Type: ${type}'. Please try again with a supported content type.`
    throw refuse(400, message, { code: 'unsupported_content_type' })
  }
  const form = await parse(body.bytes, type)
  const fields = new Map<string, Json>()
  const files = new Map<string, Buffer[]>()
  for (const [sent, value] of form) {
    const name = sent.replace(/\[\]$/, '')
    if (typeof value === 'string') fields.set(name, value)
    else files.set(name, [...(files.get(name) ?? []), Buffer.from(await value.arrayBuffer())])
  }
  return { fields: Object.fromEntries(fields), files }
}

async function parse(bytes: Buffer, type: string): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData()
  } catch {
    throw refuse(400, 'Could not parse multipart form')
  }
}

const signatures = ['\x89PNG\r\n\x1a\n', '\xff\xd8\xff', 'RIFF']

/** Refuses a file that is no PNG, JPEG or WebP. */
export function checkImage(file: Buffer, param: string): void {
  if (signatures.some(signature => file.toString('latin1', 0, signature.length) === signature)) return
  const message = `Invalid file '${param}': unsupported mimetype ('application/octet-stream'). Supported file formats are 'image/jpeg', 'image/png', and 'image/webp'.`
  throw refuse(400, message, { param, code: 'unsupported_file_mimetype' })
}
