import type { Message } from '../../../schema/wire/chat.ts'
import { portableCallId } from '../shared/call-ids.ts'
import {
  type AwaitedCall,
  type AwaitedCalls,
  openAwaitedCalls,
  readArguments,
  requireFunctionCall,
} from '../shared/calls.ts'
import { invalid } from '../shared/refusals.ts'
import { toCacheControl } from './caching.ts'
import type { CallBlock } from './wire.ts'

/** The tool calls of a conversation: the calls without results so far, and all IDs sent to the vendor. */
export interface OpenCalls {
  awaited: AwaitedCalls<AwaitedCall & { sentId: string }>
  /** For each ID, the number to append if the ID repeats. */
  sentIds: Map<string, number>
}

export function openCalls(): OpenCalls {
  return { awaited: openAwaitedCalls(), sentIds: new Map() }
}

/** Translates the calls of an assistant's message. Data of other vendors is dropped. Throws `invalid_request`. */
export function translateCalls({ tool_calls: made }: Message, at: string, calls: OpenCalls): CallBlock[] {
  return (made ?? []).map((call, index) => {
    const place = `${at}.tool_calls[${index}]`
    const { name, arguments: text } = requireFunctionCall(call, place).function
    const block: CallBlock = {
      type: 'tool_use',
      id: awaitResult(calls, { id: call.id, at: place }),
      name: requireToolName(name, `${place}.function.name`),
      input: readArguments(text),
    }
    if (call.cache_control) block.cache_control = toCacheControl(call.cache_control)
    return block
  })
}

const toolName = /^[a-zA-Z0-9_-]{1,128}$/

/** Returns the name of a tool. Throws `invalid_request` with `param` if the vendor does not accept it. */
export function requireToolName(name: string, param: string): string {
  if (toolName.test(name)) return name
  throw invalid(param, 'A tool name has 1 to 128 letters, digits, _ and -.')
}

/**
 * Returns the ID with which a call is sent. IDs of other vendors can be too long, have other characters, or repeat in a
 * later turn, which this vendor refuses.
 */
function awaitResult({ awaited, sentIds }: OpenCalls, { id, at }: AwaitedCall): string {
  const portable = portableCallId(id)
  let sentId = portable
  let next = sentIds.get(portable)
  if (next !== undefined) {
    // Numbers only increase, so that many calls with the same ID take linear time.
    do sentId = `${portable}_${next++}`
    while (sentIds.has(sentId))
    sentIds.set(portable, next)
  }
  sentIds.set(sentId, 2)
  awaited.add({ id, sentId, at })
  return sentId
}
