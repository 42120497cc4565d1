import { Problem } from '../../../../schema/errors.ts'
import { type AwaitedCalls, openAwaitedCalls } from '../../shared/request/awaited-calls.ts'
import type { Part } from '../wire.ts'

/** A call of the assistant's last turn, and its result once it came. */
export interface OpenCall {
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
 * The results of all calls in the order of the calls, as one turn must hold them, with nothing else in it. Images and
 * documents stand in the result that shows them where the model takes them there (`mayShow`); else they follow in a
 * turn of their own. Throws `invalid_request`, naming a call without its result.
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
