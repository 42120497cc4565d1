import { Problem } from '../../../../schema/errors.ts'
import { type AwaitedCalls, openAwaitedCalls } from '../../shared/request/awaited-calls.ts'
import { portableCallId } from '../../shared/signatures/call-id.ts'

/** Calls of tools that still await their results, and every id given so far. */
export interface OpenCalls {
  awaited: AwaitedCalls<{ id: string; ownId: string; at: string }>
  /** Ids, and the number with which the next of the same name is told apart. */
  given: Map<string, number>
}

export function openCalls(): OpenCalls {
  return { awaited: openAwaitedCalls(), given: new Map() }
}

/**
 * A call's id as the vendor takes it. Other vendors' ids may be too long, hold other characters, or come again in a
 * later turn, which this vendor refuses.
 */
export function awaitResult({ awaited, given }: OpenCalls, { id, at }: { id: string; at: string }): string {
  const portable = portableCallId(id)
  let ownId = portable
  let next = given.get(portable)
  if (next !== undefined) {
    // A number that was tried is never tried again, so that many calls with one id cost no more than others.
    do ownId = `${portable}_${next++}`
    while (given.has(ownId))
    given.set(portable, next)
  }
  given.set(ownId, 2)
  awaited.add(id, { id, ownId, at })
  return ownId
}

/** The id of the call that a result answers. Throws `invalid_request` where there is none, or it has its result. */
export function takeResult(
  { awaited }: OpenCalls,
  { id, at }: { id: string | null | undefined; at: string },
): string {
  const param = `${at}.tool_call_id`
  if (!id) throw new Problem('missing_parameter', { param, message: `${param} is required.` })
  const call = awaited.take(id)
  if (call) return call.ownId
  const message = `No call before this message awaits a result: ${id}.`
  throw new Problem('invalid_request', { param, message })
}

/** Throws `invalid_request`, naming the first call that was left without its result. */
export function requireResults({ awaited: { first } }: OpenCalls): void {
  if (!first) return
  const message = `The call ${first.id} has no result: a message with this tool_call_id must follow it.`
  throw new Problem('invalid_request', { param: first.at, message })
}
