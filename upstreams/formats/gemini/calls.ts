import { isRecord } from '../../../platform/is-record.ts'
import { Problem } from '../../../schema/errors.ts'
import type { Message, ToolCall } from '../../../schema/wire/chat.ts'
import type { ChatCall } from '../../chat-adapter.ts'
import type { Target } from '../../targets.ts'
import { portableCallId, readSeal } from '../shared/call-ids.ts'
import { type AwaitedCalls, openAwaitedCalls, readArguments, requireFunction } from '../shared/calls.ts'
import { requireName } from './tools.ts'
import type { Part, Turn } from './wire.ts'

/** A call as it is sent back to the vendor, and what is known of it until its result comes. */
interface TranslatedCall {
  part: Part
  open: OpenCall
}

/**
 * The calls that an assistant made. Models that sign want the vendor's own id and the signature back; what
 * another vendor, model or credential made has neither, and earlier models refuse ids. Throws
 * `invalid_request`, naming the call.
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

/**
 * The signature where the vendor's own OpenAI-style API puts it, for clients that change ids but keep fields.
 */
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

/** A call of the assistant's last turn, and its result once it came. */
interface OpenCall {
  /** As the client knows it. */
  id: string
  name: string
  /** As the vendor knows it; earlier models know none. */
  vendorId?: string
  /** How errors name it. */
  at: string
  result?: { parts: Part[]; isError: boolean }
}

/** The calls of one turn, in their order, and those whose results are still to come. */
export interface CallTurn {
  calls: OpenCall[]
  awaited: AwaitedCalls<OpenCall>
  /** Whether a result has come already, so that the turn of results has begun. */
  hasResults: boolean
}

export function openCallTurn(): CallTurn {
  return { calls: [], awaited: openAwaitedCalls(), hasResults: false }
}

export function awaitResult(turn: CallTurn, call: OpenCall): void {
  turn.calls.push(call)
  turn.awaited.add(call.id, call)
}

/** Notes the result of a call. Throws `invalid_request` where no call awaits it. */
export function takeResult(
  turn: CallTurn,
  { id, at, result }: { id: string | null | undefined; at: string; result: NonNullable<OpenCall['result']> },
): void {
  const param = `${at}.tool_call_id`
  if (!id) throw new Problem('missing_parameter', { param, message: `${param} is required.` })
  const call = turn.awaited.take(id)
  if (!call) {
    const message = `No call before this message awaits a result: ${id}.`
    throw new Problem('invalid_request', { param, message })
  }
  call.result = result
  turn.hasResults = true
}

/**
 * The results of all calls in the order of the calls, as one turn must hold them, with nothing else in it.
 * Images and documents stand in the result that shows them where the model takes them there (`mayShow`); else
 * they follow in a turn of their own. Throws `invalid_request`, naming a call without its result.
 */
export function presentResults(
  { calls }: CallTurn,
  { mayShow }: { mayShow: boolean },
): { responses: Part[]; media: Part[] } {
  const media: Part[] = []
  const responses = calls.map(({ id, name, vendorId, at, result }): Part => {
    if (!result) {
      const message = `The call ${id} has no result: a message with this tool_call_id must follow it.`
      throw new Problem('invalid_request', { param: at, message })
    }
    const { parts, isError } = result
    const text = parts.flatMap(part => part.text ?? []).join('\n')
    const shown = parts.filter(part => part.inlineData)
    if (!mayShow) for (const part of shown) media.push(part)
    return {
      functionResponse: {
        ...(vendorId && { id: vendorId }),
        name,
        response: isError ? { error: text } : { result: text },
        ...(mayShow && shown.length > 0 && { parts: shown }),
      },
    }
  })
  return { responses, media }
}

/** What the vendor takes in place of a signature that it never gave, or gave for another model. */
const sentinel = 'skip_thought_signature_validator'

/**
 * Gives the first call of each turn a signature, where none came back: models that sign demand one. In every
 * turn, not only the current one, so that a conversation's beginning stays the same and stays cached.
 */
export function signCalls(turns: readonly Turn[]): void {
  for (const { parts } of turns) {
    const first = parts.find(part => part.functionCall)
    if (first) first.thoughtSignature ??= sentinel
  }
}

/** Names the model and the credential of a call: what the vendor signed for one, it refuses from another. */
export function originOf({ entry }: Pick<ChatCall, 'entry'>, { vendor, byokId, baseUrl }: Target): string {
  return JSON.stringify([entry.upstream.model, vendor, byokId ?? null, baseUrl])
}
