import { parseJson } from '../../../platform/http/parse-json.ts'
import { isRecord } from '../../../platform/is-record.ts'
import { Problem } from '../../../schema/errors.ts'
import type { CustomToolCall, ToolCall } from '../../../schema/wire/chat.ts'

/**
 * Calls of tools that await their results, in the order in which they were made. Ids may come more than once.
 */
export interface AwaitedCalls<Call> {
  add(id: string, call: Call): void
  /**
   * The first call with this id that awaits its result; it awaits none any more. Undefined where there is
   * none.
   */
  take(id: string): Call | undefined
  /** The first call that awaits its result; undefined where none does. */
  readonly first: Call | undefined
}

/** However many calls there are, and however they are called, each costs the same. */
export function openAwaitedCalls<Call>(): AwaitedCalls<Call> {
  const byId = new Map<string, { calls: Call[]; taken: number }>()
  const open = new Set<Call>()
  return {
    add(id, call) {
      open.add(call)
      const known = byId.get(id)
      if (known) known.calls.push(call)
      else byId.set(id, { calls: [call], taken: 0 })
    },
    take(id) {
      const known = byId.get(id)
      const call = known?.calls[known.taken]
      if (!known || call === undefined) return undefined
      known.taken += 1
      open.delete(call)
      return call
    },
    get first() {
      const [first] = open
      return first
    },
  }
}

/**
 * A call of a function. Throws `unsupported_parameter`, naming the call at `at`, for one of another kind of
 * tool.
 */
export function requireFunction(call: ToolCall | CustomToolCall, at: string): ToolCall {
  if (!('custom' in call)) return call
  const message = 'The model knows calls of functions alone.'
  throw new Problem('unsupported_parameter', { param: at, message })
}

/**
 * The arguments of a call that the assistant made, as vendors want them who take no text: an object. None are
 * `{}`. What is no object, such as arguments that a token limit cut short, and what no body may be, is shown
 * to the model as the text that it wrote: the client cannot mend what is in its history, and the conversation
 * must go on.
 */
export function readArguments(text: string): Record<string, unknown> {
  if (text.trim() === '') return {}
  const parsed = parsedOf(text)
  if (isRecord(parsed)) return parsed
  return parsed === null ? {} : { unparsed_arguments: text }
}

/** By the bounds of a body: what nests deeper could not be written again. */
function parsedOf(text: string): unknown {
  try {
    return parseJson(Buffer.from(text))
  } catch {
    return undefined
  }
}
