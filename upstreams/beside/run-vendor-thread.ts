import { splice } from '../../platform/json/spliced-json.ts'
import { answerTasks } from '../../platform/process/task-thread.ts'
import { parseEmbeddings } from '../formats/openai-embeddings.ts'
import { parseObject } from '../formats/shared/answer.ts'
import { decodeBase64 } from '../formats/shared/content.ts'
import { checkValues } from '../formats/shared/values.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import type { VendorReply, VendorTask } from './vendor-thread.ts'

/** Length from which a text in base64 is decoded, in characters. */
const longCharacters = 65_536

answerTasks(answer, ({ bytes, json }) => [...(bytes ? [bytes.buffer] : []), ...memoryIn(json)])

function answer(task: VendorTask): VendorReply {
  if (task.kind === 'print') return { bytes: splice(task.json, task.mark, task.texts.map(quote)) }
  const body = Buffer.from(task.body.buffer, task.body.byteOffset, task.body.byteLength)
  try {
    checkValues(body, task.maxValues)
    if (task.kind === 'media') return { json: withBytes(parseObject(body.toString())) }
    const { list, rest } = parseEmbeddings(body, task.count)
    return { bytes: splice('"list"', 'list', [Buffer.from(JSON.stringify(list))]), json: rest }
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error
    const { cause: _, ...details } = error.details
    return { failure: { kind: error.kind, ...details } }
  }
}

/** Matches a text in printed JSON. */
function quote(text: string | Uint8Array): Uint8Array {
  const bytes = typeof text === 'string' ? undefined : Buffer.from(text.buffer, text.byteOffset, text.length)
  if (!bytes || mustEscape(bytes)) return Buffer.from(JSON.stringify(bytes?.toString('latin1') ?? text))
  return splice('"text"', 'text', [Buffer.concat([quotationMark, bytes, quotationMark])])
}

const quotationMark = Buffer.from('"')

function mustEscape(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte < 0x20 || byte === 0x22 || byte === 0x5c) return true
  }
  return false
}

/** Returns the same value, in which bytes replace long texts in base64. */
function withBytes<Value>(value: Value): Value {
  for (const [name, each] of Object.entries(value as object)) {
    if (typeof each === 'object' && each !== null) withBytes(each)
    const bytes = typeof each === 'string' && each.length >= longCharacters ? decodeBase64(each) : undefined
    if (bytes) Reflect.set(value as object, name, new Uint8Array(bytes))
  }
  return value
}

function memoryIn(value: unknown): ArrayBuffer[] {
  if (value instanceof Uint8Array) return value.buffer instanceof ArrayBuffer ? [value.buffer] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(memoryIn) : []
}
