import { Problem } from '../../../schema/errors.ts'
import type { Message } from '../../../schema/wire/chat.ts'
import { portableCallId } from '../shared/call-ids.ts'
import { type AwaitedCalls, openAwaitedCalls, readArguments, requireFunction } from '../shared/calls.ts'
import { toMark } from './caching.ts'
import { requireToolName } from './tools.ts'
import type { CallBlock } from './wire.ts'

/**
 * The calls that an assistant made; what other vendors hang on to them is left out. Throws `invalid_request`.
 */
export function translateCalls({ tool_calls: made }: Message, at: string, calls: OpenCalls): CallBlock[] {
  return (made ?? []).map((call, index) => {
    const place = `${at}.tool_calls[${index}]`
    const { name, arguments: text } = requireFunction(call, place).function
    const block: CallBlock = {
      type: 'tool_use',
      id: awaitResult(calls, { id: call.id, at: place }),
      name: requireToolName(name, `${place}.function.name`),
      input: readArguments(text),
    }
    if (call.cache_control) block.cache_control = toMark(call.cache_control)
    return block
  })
}

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
 * A call's id as the vendor takes it. Other vendors' ids may be too long, hold other characters, or come
 * again in a later turn, which this vendor refuses.
 */
function awaitResult({ awaited, given }: OpenCalls, { id, at }: { id: string; at: string }): string {
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

/**
 * The id of the call that a result answers. Throws `invalid_request` where there is none, or it has its
 * result.
 */
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
