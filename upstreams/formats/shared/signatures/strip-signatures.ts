import type { CustomToolCall, Message, ToolCall } from '../../../../schema/wire/chat.ts'
import { portableCallId } from './call-id.ts'

/**
 * Messages for a vendor who reads them as they are: without what another vendor hung on its calls of tools, and with
 * ids that it takes. The same list where there is nothing to do.
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
