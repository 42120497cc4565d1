import { isRecord } from '../../../platform/checks.ts'
import { parseJson } from '../../../platform/http/parse-json.ts'
import { missingParam } from '../../../schema/refuse-param.ts'
import type { CustomToolCall, ToolCall } from '../../../schema/wire/chat.ts'
import { invalid, unsupported } from './refusals.ts'

/** A tool call of the conversation whose result must follow. */
export interface AwaitedCall {
  id: string
  /** The parameter that errors name. */
  at: string
}

/** The tool calls of a conversation that have no result yet, in order. Several can have the same ID. */
export interface AwaitedCalls<Call extends AwaitedCall> {
  add(call: Call): void
  /**
   * Returns the first call with this ID that awaits its result, and marks it as answered. `at` is the parameter of the
   * result's message. Throws `missing_parameter` without an ID, and `invalid_request` if no call with the ID awaits a
   * result.
   */
  take(result: { id: string | null | undefined; at: string }): Call
  /** Throws `invalid_request` with the first call that has no result. */
  requireNone(): void
}

/** Each operation takes constant time, even if many calls have the same ID. */
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
 * Returns a function call. Throws `unsupported_parameter` with the parameter `at` for a call of another kind of tool.
 */
export function requireFunctionCall(call: ToolCall | CustomToolCall, at: string): ToolCall {
  if (!('custom' in call)) return call
  throw unsupported(at, 'The model knows calls of functions alone.')
}

/**
 * Returns the arguments of an earlier call as an object, for vendors that do not accept text. Empty text and `null`
 * become `{}`. Text that is not a JSON object, such as arguments cut off by a token limit, is sent unchanged as
 * `unparsed_arguments`, because the client cannot repair its history, and the conversation must continue.
 */
export function readArguments(text: string): Record<string, unknown> {
  if (text.trim() === '') return {}
  const value = parse(text)
  if (isRecord(value)) return value
  return value === null ? {} : { unparsed_arguments: text }
}

/** Uses the limits for request bodies, because JSON that nests deeper could be parsed, but not printed. */
function parse(text: string): unknown {
  try {
    return parseJson(Buffer.from(text))
  } catch {
    return undefined
  }
}
