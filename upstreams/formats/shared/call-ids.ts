import { hash } from 'node:crypto'
import { systemIds } from '../../../platform/ids.ts'
import type { CustomToolCall, Message, ToolCall } from '../../../schema/wire/chat.ts'

/**
 * Data that a vendor attaches to a tool call and requires with its result. Clients drop unknown fields but keep a
 * call's ID, so the ID contains it: `call_<32 hex digits>-<this, in base64url>`. All vendors accept these characters in
 * IDs, but not the length, so other vendors get only the part before the dash
 * (docs/decisions/2026-11-21-signatures-in-call-ids.md).
 */
interface CallMetadata {
  /** The model and credential that created the call. No other accepts its signature. */
  origin: string
  /** The vendor's ID of the call. */
  vendorId?: string | undefined
  /** Base64. */
  signature?: string | undefined
}

const idWithMetadata = /^(call_[0-9a-f]{32})-([A-Za-z0-9_-]+)$/
const originBytes = 4

/** Returns a new ID for a call, with its metadata if there is any. */
export function mintCallId({ origin, vendorId = '', signature = '' }: CallMetadata): string {
  const id = systemIds.tagged('call_')
  const own = Buffer.from(vendorId)
  const signed = Buffer.from(signature, 'base64')
  const hasVendorId = own.length > 0 && own.length < 256
  const hasSignature = signed.length > 0 && signed.toString('base64') === signature
  if (!hasVendorId && !hasSignature) return id
  const parts = [fingerprintOf(origin), Buffer.of(hasVendorId ? own.length : 0)]
  if (hasVendorId) parts.push(own)
  if (hasSignature) parts.push(signed)
  return `${id}-${Buffer.concat(parts).toString('base64url')}`
}

/** Returns the metadata in an ID, or undefined. The signature is returned only to the origin that created it. */
export function readCallId(id: string, origin: string): CallMetadata | undefined {
  const packed = Buffer.from(idWithMetadata.exec(id)?.[2] ?? '', 'base64url')
  const idLength = packed[originBytes]
  if (idLength === undefined) return undefined
  const idEnd = originBytes + 1 + idLength
  const isOurs = packed.subarray(0, originBytes).equals(fingerprintOf(origin))
  return {
    origin,
    vendorId: packed.toString('utf8', originBytes + 1, idEnd) || undefined,
    signature: (isOurs && packed.toString('base64', idEnd)) || undefined,
  }
}

/**
 * Returns a call's ID in a form that every vendor accepts: at most 40 letters, digits, `_` and `-`. The result for an
 * ID is always the same.
 */
export function portableCallId(id: string): string {
  const plain = idWithMetadata.exec(id)?.[1] ?? id
  return /^[a-zA-Z0-9_-]{1,40}$/.test(plain) ? plain : `call_${hash('sha256', plain, 'hex').slice(0, 32)}`
}

function fingerprintOf(origin: string): Buffer {
  return hash('sha256', origin, 'buffer').subarray(0, originBytes)
}

/**
 * Returns messages for a vendor that accepts them unchanged: without the data that other vendors attached to tool calls,
 * and with IDs that it accepts. Returns the same list if nothing changes.
 */
export function withPortableIds(messages: Message[]): Message[] {
  return messages.some(message => message.tool_calls?.length || message.tool_call_id)
    ? messages.map(withPortableId)
    : messages
}

function withPortableId(message: Message): Message {
  const { tool_calls: calls, tool_call_id: id } = message
  if (calls) return { ...message, tool_calls: calls.map(withoutMetadata) }
  return id == null ? message : { ...message, tool_call_id: portableCallId(id) }
}

function withoutMetadata<Call extends ToolCall | CustomToolCall>(call: Call): Call {
  const stripped = { ...call, id: portableCallId(call.id) }
  Reflect.deleteProperty(stripped, 'extra_content')
  return stripped
}
