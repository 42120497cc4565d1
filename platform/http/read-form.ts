import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import busboy from 'busboy'
import { BodyRefused } from './read-body.ts'

/** A file of a form that is arriving. It must be read to its end or destroyed. */
export interface FormFile {
  field: string
  contentType: string
  source: Readable
}

export interface FormLimits {
  files: number
  fields: number
  /** Maximum size of the text of one field. */
  fieldBytes: number
}

const maxNameBytes = 100
const maxHeadersOfPart = 20

/**
 * Reads a form (`multipart/form-data`). Its files are streamed to `onFile`, which can throw to refuse a file. Resolves
 * to the texts by field, in their order, when every file has been read. Throws the errors of `onFile` and of the body,
 * and BodyRefused `invalid_request` if it is not a form or exceeds a limit.
 */
export async function readForm(
  headers: IncomingHttpHeaders,
  body: Readable,
  { limits, onFile }: { limits: FormLimits; onFile(file: FormFile): Promise<void> },
): Promise<Map<string, string[]>> {
  const parser = openParser(headers, limits)
  const texts = new Map<string, string[]>()
  const taking: Promise<void>[] = []
  let refusal: unknown
  const refuse = (error: unknown) => {
    refusal ??= error
    parser.destroy(error instanceof Error ? error : undefined)
  }
  parser.on('error', error => refuse(asRefusal(error))) // also once the pipeline has ended
  parser.on('field', (name: string | undefined, text, { nameTruncated, valueTruncated }) => {
    if (!name) return refuse(unnamed())
    if (nameTruncated || valueTruncated) return refuse(excess('a field of the form is too long'))
    texts.set(name, [...(texts.get(name) ?? []), text])
  })
  parser.on('file', (field: string | undefined, source, { mimeType }) => {
    source.on('error', () => {}) // `onFile` may stop reading before the parser fails
    if (!field) refuse(unnamed())
    // A destroyed parser still reads the rest of its chunk, and opens files that it never ends.
    if (refusal || !field) return void source.destroy()
    const taken = onFile({ field, contentType: mimeType, source })
    taking.push(taken.catch(error => refuse(error === source.errored ? asRefusal(error) : error)))
  })
  for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const)
    parser.on(limit, () => refuse(excess('the form has too many parts')))
  try {
    await pipeline(body, parser)
    await Promise.all(taking)
  } catch (error) {
    await Promise.all(taking)
    throw refusal ?? asRefusal(error)
  }
  if (refusal) throw refusal
  return texts
}

function openParser(headers: IncomingHttpHeaders, { files, fields, fieldBytes }: FormLimits): busboy.Busboy {
  try {
    return busboy({
      headers,
      defParamCharset: 'utf8',
      limits: {
        fieldNameSize: maxNameBytes,
        fieldSize: fieldBytes,
        fields,
        files,
        parts: files + fields + 1,
        headerPairs: maxHeadersOfPart,
      },
    })
  } catch (error) {
    throw notAForm(error)
  }
}

function asRefusal(error: unknown): BodyRefused {
  return error instanceof BodyRefused ? error : notAForm(error)
}

function notAForm(cause: unknown): BodyRefused {
  return new BodyRefused('invalid_request', 'The body is not valid multipart/form-data.', { cause })
}

function unnamed(): BodyRefused {
  return new BodyRefused('invalid_request', 'Every part of the form must have a name.')
}

function excess(what: string): BodyRefused {
  return new BodyRefused('invalid_request', `The body was refused: ${what}.`)
}
