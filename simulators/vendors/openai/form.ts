import type { Exchange } from '../../server/exchange.ts'
import type { Json, JsonRecord } from '../../server/json.ts'
import { refuse } from './errors.ts'
import { refuseContentType } from './request.ts'

/** A parsed form: text fields, and files by field name. */
interface Form {
  readonly fields: JsonRecord
  readonly files: ReadonlyMap<string, readonly Buffer[]>
}

/** Parses `multipart/form-data`. `image[]` and `image` are the same field. */
export async function readForm({ request, body }: Exchange): Promise<Form> {
  const type = request.headers['content-type'] ?? ''
  if (!type.startsWith('multipart/form-data')) throw refuseContentType(type, 'multipart/form-data')
  const response = new Response(new Uint8Array(body.bytes), { headers: { 'content-type': type } })
  const form = await response.formData().catch(() => {
    throw refuse(400, 'Could not parse multipart form')
  })
  const fields = new Map<string, Json>()
  const files = new Map<string, Buffer[]>()
  for (const [field, value] of form) {
    const name = field.replace(/\[\]$/, '')
    if (typeof value === 'string') fields.set(name, value)
    else files.set(name, [...(files.get(name) ?? []), Buffer.from(await value.arrayBuffer())])
  }
  return { fields: Object.fromEntries(fields), files }
}

const signatures = ['\x89PNG\r\n\x1a\n', '\xff\xd8\xff', 'RIFF']

/** Throws unless a file is PNG, JPEG or WebP. */
export function checkImage(file: Buffer, param: string): void {
  if (signatures.some(signature => file.toString('latin1', 0, signature.length) === signature)) return
  const message = `Invalid file '${param}': unsupported mimetype ('application/octet-stream'). Supported file formats are 'image/jpeg', 'image/png', and 'image/webp'.`
  throw refuse(400, message, { param, code: 'unsupported_file_mimetype' })
}
