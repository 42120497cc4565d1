import { Problem } from '../../../../schema/errors.ts'
import type { CustomToolCall, ToolCall } from '../../../../schema/wire/chat.ts'

/** A call of a function. Throws `unsupported_parameter`, naming the call at `at`, for one of another kind of tool. */
export function requireFunction(call: ToolCall | CustomToolCall, at: string): ToolCall {
  if (!('custom' in call)) return call
  const message = 'The model knows calls of functions alone.'
  throw new Problem('unsupported_parameter', { param: at, message })
}
