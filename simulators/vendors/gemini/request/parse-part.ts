import { isRecord, type Json } from '../../json.ts'
import {
  asFields,
  type Fields,
  readBoolean,
  readList,
  readRecord,
  readText,
  refuseSense,
  refuseUnknownNames,
} from './read-fields.ts'

/** One part of a turn, as far as a model and the rules of turns care. */
export interface Part {
  readonly at: string
  readonly text: string
  readonly media: readonly string[]
  readonly call: FunctionCall | undefined
  readonly response: FunctionResponse | undefined
  readonly signature: string | undefined
}

export interface FunctionCall {
  readonly id: string | undefined
  readonly name: string
  /** The arguments as JSON text. */
  readonly arguments: string
}

export interface FunctionResponse {
  readonly id: string | undefined
  readonly name: string
  /** The response as JSON text. */
  readonly text: string
  /** Images and the like that it shows; earlier models know none. */
  readonly media: readonly string[]
}

const dataNames = ['text', 'inlineData', 'functionCall', 'functionResponse', 'fileData']
const known = [...dataNames, 'thought', 'thoughtSignature', 'mediaResolution', 'videoMetadata']

/** What may stand in a part: earlier models know no ids, and only the model says nothing (its own client keeps that). */
export interface PartRules {
  readonly hasIds: boolean
  readonly mayBeEmpty: boolean
}

/** Reads a part, which holds one thing and not nothing. */
export function parsePart(value: Json, at: string, { hasIds, mayBeEmpty }: PartRules): Part {
  const fields = asFields(value, at)
  refuseUnknownNames(fields, known)
  readBoolean(fields, 'thought')
  const held = dataNames.filter(name => (fields.values[name] ?? undefined) !== undefined)
  if (held.length > 1) throw refuseSense(`${at}.data`, "oneof field 'data' is already set.")
  if (held.length === 0 || (fields.values.text === '' && !mayBeEmpty)) {
    throw refuseSense(`${at}.data`, "required oneof field 'data' must have one initialized field")
  }
  if (fields.values.fileData) throw refuseSense(`${at}.file_data`, 'Unsupported file uri.')
  const call = readRecord(fields, 'functionCall')
  const response = readRecord(fields, 'functionResponse')
  const inline = readRecord(fields, 'inlineData')
  return {
    at,
    text: readText(fields, 'text') ?? '',
    media: inline ? [readInline(inline)] : [],
    call: call && readCall(call, hasIds),
    response: response && readResponse(response, hasIds),
    signature: readText(fields, 'thoughtSignature'),
  }
}

const mimeTypes =
  /^(image\/(png|jpeg|webp|heic|heif)|audio\/(wav|mp3|mpeg|aiff|aac|ogg|flac)|video\/mp4|application\/pdf|text\/plain)$/
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/

function readInline(fields: Fields): string {
  refuseUnknownNames(fields, ['mimeType', 'data', 'displayName'])
  const mimeType = readText(fields, 'mimeType') ?? ''
  if (!mimeTypes.test(mimeType)) throw refuseSense(fields.at, `Unsupported MIME type: ${mimeType}`)
  const data = readText(fields, 'data') ?? ''
  if (data === '' || !base64.test(data)) throw refuseSense(`${fields.at}.data`, 'Base64 decoding failed')
  return data
}

function readCall(fields: Fields, hasIds: boolean): FunctionCall {
  refuseUnknownNames(fields, ['name', 'args', ...(hasIds ? ['id'] : [])])
  const args = readRecord(fields, 'args')
  return { id: readText(fields, 'id'), name: readName(fields), arguments: JSON.stringify(args?.values ?? {}) }
}

function readResponse(fields: Fields, hasIds: boolean): FunctionResponse {
  refuseUnknownNames(fields, ['name', 'response', ...(hasIds ? ['id', 'parts'] : [])])
  const { response } = fields.values
  if (!isRecord(response)) throw refuseSense(`${fields.at}.response`, 'must be a Struct.')
  const media = readList(fields, 'parts').map((part, index) =>
    readShown(part, `${fields.at}.parts[${index}]`),
  )
  return { id: readText(fields, 'id'), name: readName(fields), text: JSON.stringify(response), media }
}

function readShown(value: Json, at: string): string {
  const fields = asFields(value, at)
  refuseUnknownNames(fields, ['inlineData'])
  const inline = readRecord(fields, 'inlineData')
  if (inline) return readInline(inline)
  throw refuseSense(`${at}.data`, "required oneof field 'data' must have one initialized field")
}

function readName(fields: Fields): string {
  const name = readText(fields, 'name')
  if (name) return name
  throw refuseSense(`${fields.at}.name`, 'Name cannot be empty.')
}
