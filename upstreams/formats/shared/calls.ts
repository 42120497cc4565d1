import { isRecord } from '../../../platform/checks.ts'
import { parseJson } from '../../../platform/http/parse-json.ts'
import { missingParam } from '../../../schema/refuse-param.ts'
import type { CustomToolCall, ToolCall } from '../../../schema/wire/chat.ts'
import { invalid, unsupported } from './refusals.ts'

/** A tool call of the conversation whose result must follow. */
export interface AwaitedCall {
  id: string
  /** How errors name it. */
  at: string
}

/** The tool calls of a conversation that have no result yet, in order. Several may have the same id. */
export interface AwaitedCalls<Call extends AwaitedCall> {
  add(call: Call): void
  /**
   * The first call with this id that still awaits its result; from then on it no longer does. `at` names the
   * message of the result. Throws `missing_parameter` without an id and `invalid_request` where no call
   * awaits a result under it.
   */
  take(result: { id: string | null | undefined; at: string }): Call
  /** Throws `invalid_request`, naming the first call that has no result. */
  requireNone(): void
}

/** However many calls there are, and however many have the same id, each operation takes the same time. */
export function openAwaitedCalls<Call extends AwaitedCall>(): AwaitedCalls<Call> {
  const byId = new Map<string, { calls: Call[]; taken: number }>()
  const open = new Set<Call>()
  return {
    add(call) {
      open.add(call)
      const sameId = byId.get(call.id)
      if (sameId) sameId.calls.push(call)
      else byId.set(call.id, { calls: [call], taken: 0 })
    },
    take({ id, at }) {
      const param = `${at}.tool_call_id`
      if (!id) throw missingParam(param)
      const sameId = byId.get(id)
      const call = sameId?.calls[sameId.taken]
      if (!sameId || call === undefined) {
        throw invalid(param, `No call before this message awaits a result: ${id}.`)
      }
      sameId.taken += 1
      open.delete(call)
      return call
    },
    requireNone() {
      const [first] = open
      if (!first) return
      throw invalid(
        first.at,
        `The call ${first.id} has no result: a message with this tool_call_id must follow it.`,
      )
    },
  }
}

/**
 * A function call. Throws `unsupported_parameter`, naming it as `at`, for a call of any other kind of tool.
 */
export function requireFunctionCall(call: ToolCall | CustomToolCall, at: string): ToolCall {
  if (!('custom' in call)) return call
  throw unsupported(at, 'The model knows calls of functions alone.')
}

/**
 * The arguments of a call in the history as an object, for vendors that take no text. Empty text and `null`
 * are `{}`. Text that is not a JSON object, such as arguments cut off by a token limit, goes to the model as
 * it is, under `unparsed_arguments`: the client cannot repair its history, and the conversation must go on.
 */
export function readArguments(text: string): Record<string, unknown> {
  if (text.trim() === '') return {}
  const value = parse(text)
  if (isRecord(value)) return value
  return value === null ? {} : { unparsed_arguments: text }
}

/** Within the limits for request bodies: JSON that nests deeper could be parsed, but not written again. */
function parse(text: string): unknown {
  try {
    return parseJson(Buffer.from(text))
  } catch {
    return undefined
  }
}
