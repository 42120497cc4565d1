import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { sniff, sniffedBytes } from '../../domain/media/sniff.ts'
import { readForm } from '../../platform/http/read-form.ts'
import { Problem } from '../../schema/errors.ts'
import { invalidParam } from '../../schema/refuse-param.ts'
import { type ParseBody, parseBody } from '../pipeline/receive-body.ts'

/** Maximum images of a form, other fields, and bytes of each field. */
const limits = { files: 16, fields: 64, fieldBytes: 262_144 }

/** Fields of an edit that contain images, by the names that OpenAI's clients use. */
const editImages = /^image(\[\d*\])?$/

/** Fields with numbers or lists. All other fields have text. */
const numbers = new Set(['n', 'seed', 'partial_images'])
const lists = new Set(['image_urls'])

/**
 * Returns the parser of an edit's body: JSON, or the form of OpenAI's clients. A form becomes the equivalent JSON, with the
 * images in fields that match `imageField` as `image_urls`. The digest covers the fields and not the form's bytes, whose
 * boundary changes with every request.
 */
export function parseEdit(headers: IncomingHttpHeaders, imageField = editImages): ParseBody {
  if (!isForm(headers)) return parseBody
  return async (_edge, body, before) => {
    const images: Promise<string>[] = []
    const texts = await readForm(headers, Readable.from([body]), {
      limits,
      async onFile({ field, source }) {
        if (!imageField.test(field)) throw unknownFile(field)
        const image = buffer(source).then(content => asAddress(content, field))
        images.push(image) // in the order of the form
        await image
      },
    })
    const json = { ...fieldsOf(texts), ...(images.length > 0 && { image_urls: await Promise.all(images) }) }
    const digest =
      before === undefined
        ? undefined
        : createHash('sha256').update(before).update(JSON.stringify(json)).digest()
    return { json, digest }
  }
}

export function isForm(headers: IncomingHttpHeaders): boolean {
  return /^multipart\/form-data/i.test(headers['content-type'] ?? '')
}

/** Returns an image as a `data:` URL. Throws `invalid_request` for other content. */
async function asAddress(content: Buffer, field: string): Promise<string> {
  const type = await sniff(content.subarray(0, sniffedBytes))
  if (type?.contentType.startsWith('image/'))
    return `data:${type.contentType};base64,${content.toString('base64')}`
  const param = field.replace(/\[\d*\]$/, '')
  throw invalidParam(param, 'must be a PNG, JPEG, WebP or GIF')
}

function fieldsOf(texts: ReadonlyMap<string, string[]>): Record<string, unknown> {
  const fields = [...texts].map(([name, values]): [string, unknown] => {
    const plain = name.replace(/\[\d*\]$/, '')
    if (lists.has(plain)) return [plain, values]
    const last = values.at(-1) ?? ''
    const isNumber = numbers.has(plain) && /^-?\d{1,15}(\.\d{1,15})?$/.test(last)
    if (plain === 'stream') return [plain, last === 'true']
    return [plain, isNumber ? Number(last) : last]
  })
  return Object.fromEntries(fields)
}

function unknownFile(field: string): Problem {
  const param = field.slice(0, 100)
  return new Problem('unsupported_parameter', {
    param,
    message: `The model does not accept the file ${param}.`,
  })
}
