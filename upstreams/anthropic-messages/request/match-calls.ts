import { Problem } from '../../../schema/errors.ts'
import { portableCallId } from '../../signatures/call-id.ts'

/** Calls of tools that still await their results, and every id given so far. */
export interface OpenCalls {
  awaited: { id: string; ownId: string; at: string }[]
  given: Set<string>
}

export function openCalls(): OpenCalls {
  return { awaited: [], given: new Set() }
}

/**
 * A call's id as the vendor takes it. Other vendors' ids may be too long, hold other characters, or come again in a
 * later turn, which this vendor refuses.
 */
export function awaitResult(calls: OpenCalls, { id, at }: { id: string; at: string }): string {
  const portable = portableCallId(id)
  let ownId = portable
  for (let turn = 2; calls.given.has(ownId); turn++) ownId = `${portable}_${turn}`
  calls.given.add(ownId)
  calls.awaited.push({ id, ownId, at })
  return ownId
}

/** The id of the call that a result answers. Throws `invalid_request` where there is none, or it has its result. */
export function takeResult(calls: OpenCalls, { id, at }: { id: string | undefined; at: string }): string {
  const param = `${at}.tool_call_id`
  if (!id) throw new Problem('missing_parameter', { param, message: `${param} is required.` })
  const index = calls.awaited.findIndex(call => call.id === id)
  const [call] = index < 0 ? [] : calls.awaited.splice(index, 1)
  if (call) return call.ownId
  const message = `No call before this message awaits a result: ${id}.`
  throw new Problem('invalid_request', { param, message })
}

/** Throws `invalid_request`, naming the first call that was left without its result. */
export function requireResults({ awaited }: OpenCalls): void {
  const [call] = awaited
  if (!call) return
  const message = `The call ${call.id} has no result: a message with this tool_call_id must follow it.`
  throw new Problem('invalid_request', { param: call.at, message })
}
