import { isRecord } from '../../../../platform/is-record.ts'
import { Problem } from '../../../../schema/errors.ts'
import type { Message, ToolCall } from '../../../../schema/wire/chat.ts'
import { readArguments } from '../../shared/request/read-arguments.ts'
import { requireFunction } from '../../shared/request/require-function.ts'
import { portableCallId, readSeal } from '../../shared/signatures/call-id.ts'
import type { Part } from '../wire.ts'
import type { OpenCall } from './await-results.ts'
import { requireName } from './require-name.ts'

/** A call as it is sent back to the vendor, and what is known of it until its result comes. */
export interface TranslatedCall {
  part: Part
  open: OpenCall
}

/**
 * The calls that an assistant made. Models that sign want the vendor's own id and the signature back; what another
 * vendor, model or credential made has neither, and earlier models refuse ids. Throws `invalid_request`, naming the call.
 */
export function translateCalls(
  message: Message,
  at: string,
  { signs, origin }: { signs: boolean; origin: string },
): TranslatedCall[] {
  refuseFunctionCall(message, at)
  return (message.tool_calls ?? []).map((made, index) => {
    const place = `${at}.tool_calls[${index}]`
    const call = requireFunction(made, place)
    const name = requireName(call.function.name, `${place}.function.name`)
    const args = readArguments(call.function.arguments.toWellFormed())
    const open = { id: call.id, name, at: place }
    if (!signs) return { part: { functionCall: { name, args } }, open }
    const seal = readSeal(call.id, origin)
    const vendorId = seal?.vendorId ?? portableCallId(call.id)
    const signature = seal ? seal.signature : signatureBeside(call)
    return {
      part: { functionCall: { id: vendorId, name, args }, ...(signature && { thoughtSignature: signature }) },
      open: { ...open, vendorId },
    }
  })
}

/** The signature where the vendor's own OpenAI-style API puts it, for clients that change ids but keep fields. */
function signatureBeside(call: ToolCall): string | undefined {
  const extra: unknown = Reflect.get(call, 'extra_content')
  const google = isRecord(extra) ? extra.google : undefined
  const signature = isRecord(google) ? google.thought_signature : undefined
  return typeof signature === 'string' && signature !== '' ? signature : undefined
}

function refuseFunctionCall(message: Message, at: string): void {
  if (!Reflect.get(message, 'function_call')) return
  throw new Problem('unsupported_parameter', {
    param: `${at}.function_call`,
    message: 'Functions gave way to tools: send the call in tool_calls.',
  })
}
