import { hash } from 'node:crypto'
import { systemIds } from '../../../platform/ids.ts'
import type { CustomToolCall, Message, ToolCall } from '../../../schema/wire/chat.ts'

/**
 * What a vendor hangs on a call of a tool and wants back with its result. Clients drop fields that they do
 * not know but keep a call's id, so the id carries it: `call_<32 hex digits>-<this, packed>`. Every character
 * of it is one that all vendors allow in ids; the length is not, and other vendors are shown the part before
 * the dash.
 */
interface Seal {
  /** Which model and credential made the call: for others a signature is worthless. */
  origin: string
  /** The vendor's own id of the call. */
  vendorId?: string | undefined
  /** Base64. */
  signature?: string | undefined
}

const sealedId = /^(call_[0-9a-f]{32})-([A-Za-z0-9_-]+)$/
const originBytes = 4

/** A new id for a call; sealed where there is something to carry. */
export function mintCallId({ origin, vendorId = '', signature = '' }: Seal): string {
  const id = systemIds.tagged('call_')
  const own = Buffer.from(vendorId)
  const signed = Buffer.from(signature, 'base64')
  const carriesId = own.length > 0 && own.length < 256
  const carriesSignature = signed.length > 0 && signed.toString('base64') === signature
  if (!carriesId && !carriesSignature) return id
  const parts = [markOf(origin), Buffer.of(carriesId ? own.length : 0)]
  if (carriesId) parts.push(own)
  if (carriesSignature) parts.push(signed)
  return `${id}-${Buffer.concat(parts).toString('base64url')}`
}

/**
 * What an id carries for this origin; its signature only where the same origin made it. Undefined without a
 * seal.
 */
export function readSeal(id: string, origin: string): Seal | undefined {
  const packed = Buffer.from(sealedId.exec(id)?.[2] ?? '', 'base64url')
  const idLength = packed[originBytes]
  if (idLength === undefined) return undefined
  const idEnd = originBytes + 1 + idLength
  const isOurs = packed.subarray(0, originBytes).equals(markOf(origin))
  return {
    origin,
    vendorId: packed.toString('utf8', originBytes + 1, idEnd) || undefined,
    signature: (isOurs && packed.toString('base64', idEnd)) || undefined,
  }
}

/** A call's id as every vendor takes it: at most 40 letters, digits, `_` and `-`, the same each time. */
export function portableCallId(id: string): string {
  const plain = sealedId.exec(id)?.[1] ?? id
  return /^[a-zA-Z0-9_-]{1,40}$/.test(plain) ? plain : `call_${hash('sha256', plain, 'hex').slice(0, 32)}`
}

function markOf(origin: string): Buffer {
  return hash('sha256', origin, 'buffer').subarray(0, originBytes)
}

/**
 * Messages for a vendor who reads them as they are: without what another vendor hung on its calls of tools,
 * and with ids that it takes. The same list where there is nothing to do.
 */
export function stripSignatures(messages: Message[]): Message[] {
  return messages.some(message => message.tool_calls?.length || message.tool_call_id)
    ? messages.map(stripMessage)
    : messages
}

function stripMessage(message: Message): Message {
  const { tool_calls: calls, tool_call_id: id } = message
  if (calls) return { ...message, tool_calls: calls.map(stripCall) }
  return id == null ? message : { ...message, tool_call_id: portableCallId(id) }
}

function stripCall<Call extends ToolCall | CustomToolCall>(call: Call): Call {
  const stripped = { ...call, id: portableCallId(call.id) }
  Reflect.deleteProperty(stripped, 'extra_content')
  return stripped
}
