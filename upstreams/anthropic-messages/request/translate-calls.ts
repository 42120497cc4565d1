import { isRecord } from '../../../platform/is-record.ts'
import { Problem } from '../../../schema/errors.ts'
import type { Message, ToolCall } from '../../../schema/wire/chat.ts'
import type { CallBlock } from '../wire.ts'
import { awaitResult, type OpenCalls } from './match-calls.ts'
import { requireToolName } from './require-tool-name.ts'

/** The calls that an assistant made; what other vendors hang on to them is left out. Throws `invalid_request`. */
export function translateCalls({ tool_calls: made }: Message, at: string, calls: OpenCalls): CallBlock[] {
  return (made ?? []).map((call, index) => {
    const place = `${at}.tool_calls[${index}]`
    return {
      type: 'tool_use',
      id: awaitResult(calls, { id: call.id, at: place }),
      name: requireToolName(call.function.name, `${place}.function.name`),
      input: parseArguments(call, place),
    }
  })
}

/** No arguments are `{}`, however a vendor wrote that. */
function parseArguments({ function: { arguments: text } }: ToolCall, at: string): Record<string, unknown> {
  if (text.trim() === '') return {}
  const parsed = parseJson(text)
  if (isRecord(parsed)) return parsed
  const message = 'The arguments of a call must be a JSON object.'
  throw new Problem('invalid_request', { param: at, message })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
