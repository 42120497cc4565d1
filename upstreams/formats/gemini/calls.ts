import { isRecord } from '../../../platform/checks.ts'
import type { Message, ToolCall } from '../../../schema/wire/chat.ts'
import type { ChatCall } from '../../chat-adapter.ts'
import type { Target } from '../../targets.ts'
import { portableCallId, readCallId } from '../shared/call-ids.ts'
import {
  type AwaitedCall,
  type AwaitedCalls,
  openAwaitedCalls,
  readArguments,
  requireFunctionCall,
} from '../shared/calls.ts'
import { unsupported } from '../shared/refusals.ts'
import { requireFunctionName } from './tools.ts'
import type { Part, Turn } from './wire.ts'

/** A call in the vendor's format, with the name that its result needs. */
interface TranslatedCall {
  part: Part
  open: OpenCall
}

/**
 * Translates the calls of an assistant's message. Models that sign calls require the vendor's ID and the signature. A
 * call from another vendor, model or credential has neither, and earlier models refuse IDs. Throws `invalid_request`
 * and `unsupported_parameter` with the call.
 */
export function translateCalls(
  message: Message,
  at: string,
  { signs, origin }: { signs: boolean; origin: string },
): TranslatedCall[] {
  refuseFunctionCall(message, at)
  return (message.tool_calls ?? []).map((made, index) => {
    const place = `${at}.tool_calls[${index}]`
    const call = requireFunctionCall(made, place)
    const name = requireFunctionName(call.function.name, `${place}.function.name`)
    const args = readArguments(call.function.arguments.toWellFormed())
    const open = { id: call.id, name, at: place }
    if (!signs) return { part: { functionCall: { name, args } }, open }
    const metadata = readCallId(call.id, origin)
    const vendorId = metadata?.vendorId ?? portableCallId(call.id)
    const signature = metadata ? metadata.signature : signatureBeside(call)
    return {
      part: { functionCall: { id: vendorId, name, args }, ...(signature && { thoughtSignature: signature }) },
      open: { ...open, vendorId },
    }
  })
}

/**
 * Returns the signature from `extra_content`, in which the vendor's own OpenAI-style API returns it: some clients keep
 * that field but change IDs.
 */
function signatureBeside(call: ToolCall): string | undefined {
  const extra: unknown = Reflect.get(call, 'extra_content')
  const google = isRecord(extra) ? extra.google : undefined
  const signature = isRecord(google) ? google.thought_signature : undefined
  return typeof signature === 'string' && signature !== '' ? signature : undefined
}

function refuseFunctionCall(message: Message, at: string): void {
  if (!Reflect.get(message, 'function_call')) return
  throw unsupported(`${at}.function_call`, 'Functions gave way to tools: send the call in tool_calls.')
}

/** A call of the assistant's last turn, with its result if it has arrived. */
interface OpenCall extends AwaitedCall {
  name: string
  /** The vendor's ID. Earlier models have none. */
  vendorId?: string
  result?: ToolResult
}

interface ToolResult {
  parts: Part[]
  isError: boolean
}

/** The calls of one turn, in order, and the ones without results so far. */
export interface CallTurn {
  calls: OpenCall[]
  awaited: AwaitedCalls<OpenCall>
  /** Whether a result has arrived, so that the turn of results has begun. */
  hasResults: boolean
}

export function openCallTurn(): CallTurn {
  return { calls: [], awaited: openAwaitedCalls(), hasResults: false }
}

export function awaitResult(turn: CallTurn, call: OpenCall): void {
  turn.calls.push(call)
  turn.awaited.add(call)
}

/** Stores the result of a call. Throws `missing_parameter`, and `invalid_request` if no call awaits it. */
export function takeResult(
  turn: CallTurn,
  { id, at, result }: { id: string | null | undefined; at: string; result: ToolResult },
): void {
  turn.awaited.take({ id, at }).result = result
  turn.hasResults = true
}

/**
 * Returns the results of all calls, in the order of the calls. The vendor requires them in one turn, without other
 * parts. Images and documents are part of the result if the model accepts them there (`mayHoldMedia`). Otherwise they
 * are returned separately, for the next turn. Throws `invalid_request` with a call that has no result.
 */
export function presentResults(
  { calls, awaited }: CallTurn,
  { mayHoldMedia }: { mayHoldMedia: boolean },
): { responses: Part[]; media: Part[] } {
  awaited.requireNone()
  const media: Part[] = []
  const responses = calls.map(({ name, vendorId, result }): Part => {
    const { parts = [], isError = false } = result ?? {}
    const text = parts.flatMap(part => part.text ?? []).join('\n')
    const ownMedia = parts.filter(part => part.inlineData)
    if (!mayHoldMedia) for (const part of ownMedia) media.push(part)
    return {
      functionResponse: {
        ...(vendorId && { id: vendorId }),
        name,
        response: isError ? { error: text } : { result: text },
        ...(mayHoldMedia && ownMedia.length > 0 && { parts: ownMedia }),
      },
    }
  })
  return { responses, media }
}

/** The placeholder that the vendor accepts as the signature of a call that it did not sign. */
const skipSignature = 'skip_thought_signature_validator'

/**
 * Adds a signature to the first call of each turn if it has none, because models that sign calls require one. It is
 * added in every turn, not only in the last one, so that the beginning of the conversation does not change and stays
 * cached.
 */
export function fillInSignatures(turns: readonly Turn[]): void {
  for (const { parts } of turns) {
    const first = parts.find(part => part.functionCall)
    if (first) first.thoughtSignature ??= skipSignature
  }
}

/**
 * Identifies the model and the credential of a call. The vendor accepts a signature only with the model and credential that
 * created it.
 */
export function originOf({ entry }: Pick<ChatCall, 'entry'>, { vendor, byokId, baseUrl }: Target): string {
  return JSON.stringify([entry.upstream.model, vendor, byokId ?? null, baseUrl])
}
